import { BeanError, type BeanErrorCode } from '../../src/beans/bean-error.ts'
import { SluiceError } from '../../src/errors.ts'

/** What the protocol says of a failed request: a status, and the Java exception that its clients look for. */
export class JolokiaError extends Error {
  override readonly name = 'JolokiaError'
  readonly status: number
  readonly type: string

  constructor(status: number, type: string, message: string) {
    super(message)
    this.status = status
    this.type = type
  }

  /** 400: the request cannot be understood. */
  static illegal(message: string): JolokiaError {
    return new JolokiaError(400, 'java.lang.IllegalArgumentException', message)
  }

  /** 403: not this way, or not by this caller. */
  static forbidden(message: string): JolokiaError {
    return new JolokiaError(403, 'java.lang.SecurityException', message)
  }
}

/** The members of an error in the answer, as of protocol 8. */
export type ErrorMembers = { readonly status: number; readonly error_type: string; readonly error: string }

/** What a client may know of a thrown value; unknown errors show nothing. */
export const toErrorMembers = (error: unknown): ErrorMembers => {
  const { status, type, message } = toJolokiaError(error)
  return { status, error_type: type, error: `${type} : ${message}` }
}

/** Whether the operator should hear of it. */
export const isUnexpectedJolokia = (error: unknown): boolean =>
  !(error instanceof JolokiaError || error instanceof BeanError || error instanceof SluiceError)

const table: Readonly<Record<BeanErrorCode, { readonly status: number; readonly type: string }>> = {
  'bad-name': { status: 400, type: 'javax.management.MalformedObjectNameException' },
  'bad-value': { status: 400, type: 'java.lang.IllegalArgumentException' },
  'bean-not-found': { status: 404, type: 'javax.management.InstanceNotFoundException' },
  'attribute-not-found': { status: 404, type: 'javax.management.AttributeNotFoundException' },
  'operation-not-found': { status: 400, type: 'java.lang.IllegalArgumentException' },
  // No writable attribute has this name; MBean servers report it like this, and Jolokia follows them.
  'read-only': { status: 404, type: 'javax.management.AttributeNotFoundException' },
  'bean-exists': { status: 500, type: 'javax.management.InstanceAlreadyExistsException' },
  'too-many': { status: 400, type: 'java.lang.IllegalArgumentException' },
  denied: { status: 403, type: 'java.lang.SecurityException' },
  failed: { status: 500, type: 'javax.management.MBeanException' },
}

const toJolokiaError = (error: unknown): { status: number; type: string; message: string } => {
  if (error instanceof JolokiaError) return error
  if (error instanceof BeanError) return { ...table[error.code], message: error.message }
  if (error instanceof SluiceError) {
    return error.status < 500 ? JolokiaError.illegal(error.message) : { ...table.failed, message: error.message }
  }
  return { status: 500, type: 'java.lang.RuntimeException', message: 'Internal error' }
}
