/** Texts around a refusal and about the time that was understood, in each language in which the reason may be. */

/** @typedef {"nearest" | "addNotes" | "again" | "withoutTime" | "allTimes" | "allNotes" | "noThreshold" | "otherWords" | "examples" | "near" | "widened" | "daysAround" | "anyTime" | "since" | "until"} Name */

/** @type {Readonly<Record<string, Readonly<Record<Name, string>>>>} */
const TEXTS = {
  en: {
    nearest: "The nearest notes",
    addNotes: "Add your notes",
    again: "Ask again",
    withoutTime: "Ask again without “{time}”",
    allTimes: "Ask again in notes of all times",
    allNotes: "Ask again in all notes",
    noThreshold: "Ask again without a relevance threshold",
    otherWords: "Try a name, a title or a word from the note itself.",
    examples: "Ask about something in your notes, in your own words: a person, a project, a place, a day.",
    near: "near {time}",
    widened: "nothing from {time}, searched {reach}",
    daysAround: "{days} days around",
    anyTime: "any time",
    since: "since {day}",
    until: "until {day}",
  },
  de: {
    nearest: "Die nächstliegenden Notizen",
    addNotes: "Notizen hinzufügen",
    again: "Noch einmal fragen",
    withoutTime: "Ohne „{time}“ noch einmal fragen",
    allTimes: "In Notizen jeder Zeit noch einmal fragen",
    allNotes: "In allen Notizen noch einmal fragen",
    noThreshold: "Ohne Relevanzschwelle noch einmal fragen",
    otherWords: "Versuch es mit einem Namen, einem Titel oder einem Wort aus der Notiz.",
    examples: "Frag mit eigenen Worten nach etwas aus deinen Notizen: einer Person, einem Projekt, einem Ort, einem Tag.",
    near: "nahe bei {time}",
    widened: "nichts aus {time}, gesucht: {reach}",
    daysAround: "{days} Tage ringsum",
    anyTime: "jede Zeit",
    since: "seit {day}",
    until: "bis {day}",
  },
  es: {
    nearest: "Las notas más cercanas",
    addNotes: "Añadir tus notas",
    again: "Preguntar de nuevo",
    withoutTime: "Preguntar de nuevo sin «{time}»",
    allTimes: "Preguntar de nuevo en notas de cualquier fecha",
    allNotes: "Preguntar de nuevo en todas las notas",
    noThreshold: "Preguntar de nuevo sin umbral de relevancia",
    otherWords: "Prueba con un nombre, un título o una palabra de la propia nota.",
    examples: "Pregunta con tus palabras por algo de tus notas: una persona, un proyecto, un lugar, un día.",
    near: "cerca de {time}",
    widened: "nada de {time}, se buscó: {reach}",
    daysAround: "{days} días alrededor",
    anyTime: "cualquier fecha",
    since: "desde {day}",
    until: "hasta {day}",
  },
  fr: {
    nearest: "Les notes les plus proches",
    addNotes: "Ajouter vos notes",
    again: "Reposer la question",
    withoutTime: "Reposer la question sans « {time} »",
    allTimes: "Reposer la question dans les notes de toutes les dates",
    allNotes: "Reposer la question dans toutes les notes",
    noThreshold: "Reposer la question sans seuil de pertinence",
    otherWords: "Essayez avec un nom, un titre ou un mot de la note elle-même.",
    examples: "Demandez avec vos mots quelque chose de vos notes : une personne, un projet, un lieu, un jour.",
    near: "autour de {time}",
    widened: "rien de {time}, recherche : {reach}",
    daysAround: "{days} jours autour",
    anyTime: "toutes les dates",
    since: "depuis {day}",
    until: "jusqu’au {day}",
  },
  it: {
    nearest: "Le note più vicine",
    addNotes: "Aggiungi le tue note",
    again: "Chiedi di nuovo",
    withoutTime: "Chiedi di nuovo senza «{time}»",
    allTimes: "Chiedi di nuovo nelle note di ogni data",
    allNotes: "Chiedi di nuovo in tutte le note",
    noThreshold: "Chiedi di nuovo senza soglia di pertinenza",
    otherWords: "Prova con un nome, un titolo o una parola della nota stessa.",
    examples: "Chiedi con parole tue qualcosa che sta nelle tue note: una persona, un progetto, un luogo, un giorno.",
    near: "intorno a {time}",
    widened: "niente di {time}, cercato: {reach}",
    daysAround: "{days} giorni intorno",
    anyTime: "qualsiasi data",
    since: "da {day}",
    until: "fino a {day}",
  },
};

/** In English for an answer of an earlier release, which does not say its language. @param {string | undefined} lang */
export function adviceIn(lang) {
  return TEXTS[lang ?? "en"] ?? TEXTS.en;
}

/** The language of the texts for it, English where it has none. @param {string | undefined} lang */
export function langOfAdvice(lang) {
  return lang && lang in TEXTS ? lang : "en";
}
