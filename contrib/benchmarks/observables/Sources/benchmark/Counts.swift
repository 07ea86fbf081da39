import Observables

func measureCounts() {}
