/** Why a bean could not be found, read, written or run. Protocols have their own number or name for each. */
export type BeanErrorCode =
  | 'bad-name'
  | 'bad-value'
  | 'bean-not-found'
  | 'attribute-not-found'
  | 'operation-not-found'
  | 'read-only'
  | 'bean-exists'
  | 'too-many'
  | 'denied'
  | 'failed'

/** A request to the beans that cannot be carried out; its message may be shown to the caller. */
export class BeanError extends Error {
  override readonly name = 'BeanError'
  readonly code: BeanErrorCode

  constructor(code: BeanErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Text of a client as part of a message: quoted, and cut where it is long. */
export const quoteText = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
