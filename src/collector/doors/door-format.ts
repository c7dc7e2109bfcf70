import type { Api } from '../../spool/apis.ts'
import type { BodyDefaults, IntakeFormat } from '../formats/intake-format.ts'
import type { Parsed } from '../parsed.ts'
import { runAtOnce, runInTurns, type WorkSteps } from '../work-turns.ts'
import { type DoorEvents, type DoorParts, parseDoorEvents } from './door-events.ts'
import type { DoorName } from './door-names.ts'

/** The parts of a door's format. */
export type DoorFormat = Pick<IntakeFormat, 'mediaTypes' | 'keys' | 'headers' | 'cookies' | 'refusals'> & {
  readonly door: DoorName
  readonly api: Api
  /** @default none */
  readonly parameters?: IntakeFormat['parameters']
  readonly events: DoorEvents | ((defaults: BodyDefaults) => DoorEvents)
  /** Makes JSON of a body in another form. @default the body is JSON */
  readonly toJson?: (body: Buffer, defaults: BodyDefaults, parts: DoorParts) => Buffer | WorkSteps<Buffer>
}

/** A format of bodies of another make. */
export const createDoorFormat = (options: DoorFormat): IntakeFormat & { readonly door: DoorName } => {
  const { door, api, mediaTypes, parameters = 'none', keys = [], headers = [], cookies = [], refusals = {} } = options
  const { events, toJson } = options
  function* parse(body: Uint8Array, defaults: BodyDefaults, parts: DoorParts): WorkSteps<Parsed> {
    const sent = withoutMark(body)
    const made = toJson?.(sent, defaults, parts) ?? sent
    const json = made instanceof Uint8Array ? made : yield* made
    return yield* parseDoorEvents(json, defaults, typeof events === 'function' ? events(defaults) : events, parts)
  }
  return {
    door,
    api,
    mediaTypes,
    parameters,
    keys,
    headers,
    cookies,
    refusals,
    short: (body, defaults) => runAtOnce(parse(body, defaults, { keys })),
    long: (body, defaults, { turns, inspect, addBytes }) =>
      runInTurns(parse(body, defaults, { keys, inspect: inspect?.('json'), addBytes }), turns),
  }
}

/** A body without its byte order mark. */
export const withoutMark = (body: Uint8Array): Buffer => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
