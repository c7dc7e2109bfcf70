/** Resolves in the next turn of the event loop, when what has arrived meanwhile was looked at. */
export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
