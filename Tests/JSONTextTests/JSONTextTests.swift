// Tests of JSONText.
