import { JsonElements } from '../../formats/json-elements.ts'
import { isObject } from '../../formats/members.ts'
import type { IntakeFormat } from '../formats/intake-format.ts'
import { JsonSlices } from '../parsers/json-slice.ts'
import { asBuffer } from '../parsers/json-text.ts'
import { runAtOnce, runInTurns, type WorkSteps } from '../work-turns.ts'

/**
 * The format of a door that also accepts JSON bodies with the collector's own envelopes, which are read as such. The
 * kind is decided before the body is read, because reading may overwrite what is refused.
 */
export const ownOr = (own: IntakeFormat, door: IntakeFormat): IntakeFormat => ({
  ...door,
  parameters: door.parameters === 'none' ? own.parameters : door.parameters,
  short: (body, defaults) => (runAtOnce(hasOwnEvent(body, defaults.maxValues)) ? own : door).short(body, defaults),
  long: async (body, defaults, parts) => {
    const isOwn = await runInTurns(hasOwnEvent(body, defaults.maxValues), parts.turns)
    return (isOwn ? own : door).long(body, defaults, parts)
  },
})

/** Whether any value of a JSON body has an `eventName`; of damaged ones and of UTF-16 and UTF-32 the bytes decide. */
function* hasOwnEvent(body: Uint8Array, maxValues: number): WorkSteps<boolean> {
  const bytes = asBuffer(body)
  if (bytes.includes(0)) return wideNames.some(name => bytes.includes(name))
  const mayHave = bytes.includes(quotedName)
  if (!mayHave && !bytes.includes(escapes)) return false
  const elements = new JsonElements(bytes)
  const slices = new JsonSlices(bytes, maxValues)
  const { scan } = slices
  while (elements.skip(bytes.length) === 'done') {
    const start = elements.at
    scan.begin(start)
    for (;;) {
      const progress = scan.run(scan.at + stretchBytes)
      if (progress === 'done') break
      if (progress === 'failed') return mayHave
      yield
    }
    const end = scan.at
    elements.at = end
    if (slices.findProblem(start, end) !== undefined) {
      if (bytes.subarray(start, end).includes(quotedName)) return true
      continue
    }
    const value = slices.parse(bytes.toString('utf8', start, end), scan.longBytes > 0)
    if (isObject(value) && Object.hasOwn(value, 'eventName')) return true
    yield
  }
  return false
}

const quotedName = Buffer.from('"eventName"')
const escapes = Buffer.from('\\u')
/** Both in UTF-16 and UTF-32, in either byte order, with the zeros between characters. */
const wideNames = [1, 3].flatMap(zeros =>
  ['eventName', '\\u'].map(text => Buffer.from(text.split('').join('\0'.repeat(zeros)))),
)
const stretchBytes = 512 * 1024
