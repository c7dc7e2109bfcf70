/** Tests against a real HDFS that requires tickets. */
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type KeytabName, missingForSecureCluster, principals } from '../../scripts/hdfs/secure-cluster.ts'
import { getTicket, type TicketEnv } from '../../scripts/kerberos/ticket.ts'
import type { SecureHdfs } from '../setup/secure-hdfs.ts'
import { missingForSpnego } from '../setup/spnego.ts'
import { describeUnless } from './kerberos.ts'

export type { SecureHdfs }

/**
 * A `describe` against the secure HDFS that the test run shares: its files are shared, its KDC stays as it is. Where
 * something is missing the tests are skipped and the reason is said, or they fail when `SLUICE_REQUIRE` has `kerberos`.
 */
export const describeSecureHdfs = (name: string, body: (hdfs: SecureHdfs) => void): void => {
  const hdfs = inject('secureHdfs')
  describeUnless('skipped' in hdfs ? hdfs.skipped : undefined, name, () => {
    if (!('skipped' in hdfs)) body(hdfs)
  })
}

/** The same for tests that start a KDC and a cluster of their own. */
export const describeOwnSecureHdfs = async (name: string, body: () => void): Promise<void> => {
  const missing = (await missingForSecureCluster()) ?? (await missingForSpnego()) ?? (await missingForHdfs())
  describeUnless(missing, name, body)
}

let tickets = 0

/** A ticket for one of those who have a keytab, in a file of its own that goes with the KDC. */
export const ticketFor = (
  { krb5Config, keytabs }: Pick<SecureHdfs, 'krb5Config' | 'keytabs'>,
  name: KeytabName,
): Promise<TicketEnv> => {
  const cache = join(dirname(krb5Config), `tickets-${name}-${process.pid}-${tickets++}`)
  return getTicket({ krb5Config, principal: principals[name], keytab: keytabs[name], cache })
}
