import type { Call } from '../../http/call/call.ts'
import type { Api } from '../../spool/apis.ts'
import type { BodyFormat } from '../../spool/batch.ts'
import type { DoorName } from '../doors/door-names.ts'
import type { DoorRefusals } from '../doors/refusals.ts'
import type { EventDefaults, Parsed } from '../parsed.ts'
import type { InspectEvent } from '../parsers/inspection.ts'
import type { WorkTurns } from '../work-turns.ts'

/** A format that a body may be sent in, chosen by its content type: all that the collector knows of it. */
export type IntakeFormat = {
  /** What its requests count as, also those that are refused unread. */
  readonly api: Api
  /** The door that has to be open, of `collector.doors`. @default it is always taken */
  readonly door?: DoorName
  /**
   * Members of bodies, or paths to them, that may say whose events they are, in place of a header. They are secrets where a token
   * is needed: no payload has them, and what is kept of refused bodies has a mask in their place. @default none
   */
  readonly keys?: readonly string[]
  /**
   * Headers of which events are made, in small letters: they are stored with what is refused, so that a replay has
   * them. Never one with credentials. @default none
   */
  readonly headers?: readonly string[]
  /** The same of cookies. @default none */
  readonly cookies?: readonly string[]
  /** The refusals of a route of its own. @default as all others */
  readonly refusals?: DoorRefusals
  /** Types and ranges, as the contract has them; no other format has the same. */
  readonly mediaTypes: readonly string[]
  /** Which of the parameters `name`, `date` and `gr` its events need: those that the body never says. */
  readonly parameters: 'none' | 'date' | 'name-and-date'
  /** Reads the body in place of this one where the request has a `name`; such requests count alike. */
  readonly named?: IntakeFormat
  /** Reads a body at once, of at most 256 KiB. @throws SluiceError when nothing of it can be taken */
  readonly short: (body: Uint8Array, defaults: BodyDefaults) => Parsed
  /** Reads a longer one in turns, and in the memory of one event. @throws SluiceError when nothing of it can be taken */
  readonly long: (body: Uint8Array, defaults: BodyDefaults, parts: LongParts) => Promise<Parsed>
}

/** What holds for the events of a body that do not say otherwise; their name only where no body says it. */
export type BodyDefaults = EventDefaults & {
  readonly name: string
  /** The request, for what is not in the body. */
  readonly call: Pick<Call<unknown>, 'header' | 'headers' | 'target' | 'secure'>
}

/** What reading a long body takes. */
export type LongParts = {
  readonly turns: WorkTurns
  /** Compares events with their schemas. @default no comparison */
  readonly inspect: ((format: BodyFormat) => InspectEvent) | undefined
  /** Hears of memory that is taken besides the body. @throws SluiceError `overloaded` */
  readonly addBytes: (bytes: number) => void
}
