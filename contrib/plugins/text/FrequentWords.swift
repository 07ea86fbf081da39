/// The most frequent words of languages, of at most eight bytes of UTF-8 each.
enum FrequentWords {
    /// The languages that are told of.
    private static let told: [(code: String, words: String)] = [
        (
            "en",
            """
            the of and to in is that for it with as was on be by this are not have from at which or an you we can if \
            will has but he his they she been may when your their its more than other use used any these must should
            """
        ),
        (
            "de",
            """
            der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er \
            hat dass sie nach wird bei einer um am sind noch wie einem über so zum war haben nur oder aber wenn durch \
            kann diese dieser ihre zur man mehr vor bis ich
            """
        ),
        (
            "fr",
            """
            de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son \
            aux cette ces d l qu n s je vous nous si être peut leur même ont ses mais comme tout à
            """
        ),
        (
            "es",
            """
            de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ya este si \
            porque esta son entre está cuando muy sin sobre ser tiene también hasta hay donde puede
            """
        ),
        (
            "it",
            """
            di e il la che in un a per è una sono non con del si da della i le dei nel come più anche alla ma o gli \
            lo al delle se ci questo quando nella essere ha dal può ad l dell questa viene dalla
            """
        ),
        (
            "pt",
            """
            de a o que e do da em um para é com não uma os no se na por mais as dos como mas ao das à ou sua pelo são \
            seu foi quando muito nos já está eu também só pela até isso ser este você pode
            """
        ),
        (
            "nl",
            """
            de en het van een in is dat te op voor met zijn niet aan er om ook als door bij maar of uit worden die \
            naar dit wordt kan deze dan nog over moet hij ik je was had u zich heeft geen tot wel
            """
        ),
        (
            "pl",
            """
            w i z na do się nie to jest że o jak po co ale od za by przez dla oraz może lub są tego ich jego tym czy \
            tak jego być który która które tej ten jeśli ze pod przed aby
            """
        ),
        (
            "cs",
            """
            a v se na je že s z do o to i k jako pro za by jsou ale které nebo od po jeho není být tak který ve bude \
            jen si která při jej pokud ze lze byl tento může aby
            """
        ),
        (
            "sv",
            """
            och i att det som en på är av för med till den har inte om ett de från kan men eller vi så ska detta vid \
            var jag han du man när ut upp under denna alla efter skall också vara används
            """
        ),
        (
            "da",
            """
            og i at det er en til af på for med den som de ikke der et har fra kan om eller men vi så skal ved var \
            jeg han du man når ud op under denne alle efter også være dette hvis bliver
            """
        ),
        (
            "ru",
            "и в не на я что он с как это по но они к из у за от же бы для то все так его до при или если"
        ),
        (
            "uk",
            "і в не на що з у до та як це за від але для про або він її його є які щоб при по й так"
        ),
    ]

    /// Languages that are near to those: a text of one of them is of none of the others.
    private static let rivals: [(code: String, words: String)] = [
        (
            "no",
            """
            og i å det er en til av på for med den som de ikke et har fra kan om eller men vi så skal ved var jeg han \
            du man når ut opp under denne alle etter også være dette hvis blir
            """
        ),
        (
            "sk",
            "a v sa na je že s z do o to i k ako pre za by sú ale ktoré alebo od po jeho nie byť tak ktorý aj"
        ),
        (
            "ro",
            "de și în a la cu pe un o nu că este din care mai sau să pentru ce se prin sunt fi al ale ca dacă"
        ),
        (
            "ca",
            "de la i el que a en un per les els una amb no és del al com es més o però si són aquest dels"
        ),
        (
            "eo",
            "la de kaj en al ne estas por kun ke ĝi vi mi li ol per aŭ el sur tio iu ĉi se tiu kiel ĉiu da pri"
        ),
        (
            "sl",
            "in je na v se za da so z ki ne pa tudi s kot po od pri bi iz do ali če še to ta lahko"
        ),
        ("hr", "i je u na se da za od su s a o ne koji kao do iz što ili po te će bi ako nije to"),
        ("bg", "и на да се от за в не е с по че като са до ще си към или при тази това един може"),
    ]

    /// The code of each language; nil for a rival.
    static let codes: [String?] = told.map(\.code) + rivals.map { _ in nil }

    /// The languages of a word, as bits by their places in `codes`.
    static let languagesByWord: [UInt64: UInt32] = {
        var found: [UInt64: UInt32] = [:]
        for (number, language) in (told + rivals).enumerated() {
            for word in language.words.split(separator: " ") where word.utf8.count <= 8 {
                let key = word.utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                found[key, default: 0] |= 1 << UInt32(number)
            }
        }
        return found
    }()
}
