import type { Call } from '../src/http/call.ts'
import type { Caller } from './access.ts'

/** A call of the management listener whose source is checked and whose caller is known. */
export type AdminCall = Pick<Call, 'method' | 'target' | 'header' | 'peer' | 'secure' | 'bytes'> & {
  readonly caller: Caller
}
