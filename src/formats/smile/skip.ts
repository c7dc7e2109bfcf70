import type { Budget } from '../budget.ts'
import { Levels } from '../levels.ts'
import type { SmileCursor } from './cursor.ts'

/** Values between two yields: a few ms of work at the most. */
const valuesPerStep = 20_000

/**
 * Goes over the value at a cursor without building it, whatever it holds, and yields now and then. Names and short texts
 * are read: later ones may refer to them.
 * @param budget the cursor's; it is refilled, for nothing is kept
 * @throws FormatError at damage
 */
export function* skipSmile(cursor: SmileCursor, budget: Budget): Generator<void, void, undefined> {
  const levels = new Levels()
  for (let values = 0; ; ) {
    if (++values % valuesPerStep === 0) yield
    // References to long names are counted from zero from here on, too.
    if (values % valuesPerMark === 0) cursor.mark()
    budget.refill()
    if (cursor.enterArray()) levels.push(false)
    else if (cursor.enterObject()) levels.push(true)
    else cursor.skipScalar()
    while (levels.depth > 0 && !(levels.isObject ? cursor.nextName() !== undefined : cursor.nextElement())) levels.pop()
    if (levels.depth === 0) return
  }
}

/** Names have 64 KB at most, and may expand to 128 MB between two marks. */
const valuesPerMark = 1_000
