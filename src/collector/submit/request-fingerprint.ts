import type { Call } from '../../http/call/call.ts'
import { toEssence } from '../formats/formats.ts'
import type { WorkTurns } from '../work-turns.ts'
import { type Fingerprint, fingerprintOf } from './idempotency.ts'

/** What decides what becomes of the events of a body. */
type Circumstances = Readonly<Partial<Record<'name' | 'date' | 'gr', string | undefined>>>

type KeyedCall = Pick<Call<Circumstances>, 'params' | 'header' | 'method' | 'target'>

/** Distinguishes a request from others with its key. */
export const digestRequestAtOnce = (call: KeyedCall, body: Uint8Array): string =>
  note(call, fingerprintOf(circumstancesOf(call)).update(body))

/** The same of a long body. */
export const digestRequest = async (call: KeyedCall, body: Uint8Array, turns: WorkTurns): Promise<string> => {
  const fingerprint = fingerprintOf(circumstancesOf(call))
  for (let at = 0; at < body.length; at += hashedBytes) {
    fingerprint.update(body.subarray(at, at + hashedBytes))
    if (turns.isOver()) await turns.next()
  }
  return note(call, fingerprint)
}

const digests = new WeakMap<object, string>()

const note = (call: KeyedCall, fingerprint: Fingerprint): string => {
  const digest = fingerprint.digest()
  digests.set(call, digest)
  return digest
}

/** The digest of a call that was made before; undefined where none was. */
export const digestOfCall = (call: object): string | undefined => digests.get(call)

/** Bytes hashed between two looks at the clock. */
const hashedBytes = 1024 * 1024

const circumstancesOf = (call: KeyedCall): readonly (string | undefined)[] => {
  const { name, date, gr } = call.params
  const inQuery = call.method === 'GET' ? [String(new URL(call.target, 'http://host').searchParams)] : []
  return [toEssence(call.header('content-type')), name, date, gr, ...inQuery]
}
