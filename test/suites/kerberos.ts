/** Tests with a real KDC and tickets. */
import { describe, test } from 'vitest'
import { missingForSpnego } from '../setup/spnego.ts'
import { isRequired, realParts } from './hdfs.ts'

export { missingForSpnego }

/**
 * A `describe` of what needs a KDC and the package `kerberos`. Where something is missing the tests are skipped and the
 * reason is said, or they fail when `SLUICE_REQUIRE` has `kerberos`.
 */
export const describeKerberos = async (name: string, body: () => void): Promise<void> =>
  describeUnless(await missingForSpnego(), name, body)

/** A `describe` of what needs Kerberos, unless something is missing. */
export const describeUnless = (missing: string | undefined, name: string, body: () => void): void => {
  if (missing === undefined) return void describe(name, realParts, body)
  const reason = `${name}: ${missing}`
  if (!isRequired('kerberos')) console.warn(`skipped ${reason}`)
  describe.skipIf(!isRequired('kerberos'))(reason, () =>
    test('needs Kerberos', () => {
      throw new Error(`SLUICE_REQUIRE has "kerberos", but ${missing}`)
    }),
  )
}
