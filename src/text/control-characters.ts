/**
 * Characters that steer a terminal or turn the text around them: C0, DEL and C1, line separators, bidirectional
 * controls (UAX #9). Data that holds them may be sent by anyone who may send an event.
 */
const steering = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/gu

/** Data for a terminal or a line of a log: what would steer is shown as JSON writes it, `\u001b`. */
export const escapeControls = (text: string): string => text.replace(steering, toEscape)

/** The same for text of several lines: tabs and the ends of lines stay. A line does not go back over itself. */
export const escapeInLines = (text: string): string =>
  text
    .split(/(\n|\t|\r\n)/)
    // A split at a group gives text and matches in turn.
    .map((part, index) => (index % 2 === 1 ? part : escapeControls(part)))
    .join('')

/** What JSON leaves as it is of these: everything beyond C0. */
const steeringInJson = /[\x7f-\x9f\p{Zl}\p{Zp}\p{Bidi_C}]/gu

/** The same JSON, which no terminal minds; its values stay the same. */
export const escapeJsonControls = (json: string): string => json.replace(steeringInJson, toEscape)

const toEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
