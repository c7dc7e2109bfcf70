import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { toCount } from '../print/units.ts'

/** Lines about what is left; all are in the data of `--json`. */
const maxListed = 50

/** Says what a command has left as it was, and why: the first ones. */
export const listLeft = (reasons: readonly string[], logToStderr: (line: string) => void): void => {
  for (const reason of reasons.slice(0, maxListed)) logToStderr(`${marks.warn()} ${toSafeText(reason)}`)
  if (reasons.length > maxListed) logToStderr(`… and ${toCount(reasons.length - maxListed)} more`)
}
