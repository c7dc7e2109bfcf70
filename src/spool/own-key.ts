/** An idempotency key of the server's own. No header can have this first character, and so no sender's key is one of them. */
export const toOwnKey = (text: string): string => `\u0000${text}`
