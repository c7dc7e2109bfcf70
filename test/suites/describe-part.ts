import { describe, test } from 'vitest'
import { isRequired, realParts } from './hdfs.ts'

/**
 * A `describe` of what needs a real part. Where it is missing the tests are skipped and the reason is said, or they fail when
 * `SLUICE_REQUIRE` names it.
 */
export const describePart = (part: string, missing: string | undefined, name: string, body: () => void): void => {
  if (missing === undefined) return void describe(name, realParts, body)
  const reason = `${name}: ${missing}`
  if (!isRequired(part)) console.warn(`skipped ${reason}`)
  describe.skipIf(!isRequired(part))(reason, () =>
    test(`needs ${part}`, () => {
      throw new Error(`SLUICE_REQUIRE has "${part}", but ${missing}`)
    }),
  )
}
