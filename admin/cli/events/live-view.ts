import { toApiLabel } from '../print/api-label.ts'
import { marks, style } from '../print/style.ts'
import { toSafeText, truncate } from '../print/text-width.ts'
import { toBytes } from '../print/units.ts'
import type { LiveMessage } from './live.ts'

/** The parts of an accepted event that its line shows. */
type Accepted = { readonly at: number; readonly type: string; readonly api: string; readonly peer: string }
type Rejected = Omit<Accepted, 'type'> & {
  readonly code: string
  readonly detail: string
  readonly events: number
  readonly sent: {
    readonly text?: string
    readonly base64?: string
    readonly bytes: number
    readonly isCut: boolean
  } | null
}

/** Before the fields, which are the last member of an accepted event: nothing in front of them has quotes of its own. */
const fieldsMember = ',"fields":'

/**
 * A live event for people: one line for an accepted one, two for a refused one; undefined for other messages.
 * @param columns of the terminal; undefined: nothing is cut
 */
export const toLiveText = ({ event, data }: LiveMessage, columns: number | undefined): string | undefined => {
  const toFit = (text: string, taken: number): string =>
    columns === undefined ? text : truncate(text, Math.max(8, columns - taken))
  if (event === 'accepted') {
    const { at, type, api, peer } = JSON.parse(data) as Accepted
    const head = `${toTime(at)}  ${toSafeText(type)}  ${toApiLabel(toSafeText(api))}  ${toSafeText(peer)}  `
    const fields = toSafeText(data.slice(data.indexOf(fieldsMember) + fieldsMember.length, -1))
    const [time, name, ...rest] = head.split('  ')
    return [time, style('bold', name ?? ''), style('dim', rest.join('  ')), toFit(fields, head.length)]
      .join('  ')
      .trimEnd()
  }
  if (event !== 'rejected') return undefined
  const { at, api, peer, code, detail, events, sent } = JSON.parse(data) as Rejected
  const count = events > 1 ? `${events} events, ` : ''
  const head = `${toTime(at)}  ${marks.bad()} ${style('red', code)}  ${style('dim', `${toApiLabel(toSafeText(api))}  ${toSafeText(peer)}`)}`
  const lines = [head, `    ${toFit(count + toSafeText(detail), 4)}`]
  if (sent) lines.push(`    ${style('dim', toFit(toSentText(sent), 4))}`)
  return lines.join('\n')
}

const toSentText = ({ text, base64 = '', bytes, isCut }: NonNullable<Rejected['sent']>): string => {
  const size = isCut ? ` … (${toBytes(bytes)})` : ''
  return text === undefined ? `base64 ${base64}${size}` : `${toSafeText(text.replace(/\s+/g, ' '))}${size}`
}

const toTime = (at: number): string => new Date(at).toISOString().slice(11, 23)
