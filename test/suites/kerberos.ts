/** Tests with a real KDC and tickets. */
import { missingForSpnego } from '../setup/spnego.ts'
import { describePart } from './describe-part.ts'

export { missingForSpnego }

/**
 * A `describe` of what needs a KDC and the package `kerberos`. Where something is missing the tests are skipped and the
 * reason is said, or they fail when `SLUICE_REQUIRE` has `kerberos`.
 */
export const describeKerberos = async (name: string, body: () => void): Promise<void> =>
  describeUnless(await missingForSpnego(), name, body)

/** A `describe` of what needs Kerberos, unless something is missing. */
export const describeUnless = (missing: string | undefined, name: string, body: () => void): void =>
  describePart('kerberos', missing, name, body)
