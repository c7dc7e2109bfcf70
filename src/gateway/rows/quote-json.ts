/** A string as JSON; few have anything to escape. */
export const quoteJson = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

/** Lone surrogates are escaped, too: every one is looked at. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
