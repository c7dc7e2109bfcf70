/** One real HDFS with a KDC of its own for the whole test run. */
import type { TestProject } from 'vitest/node'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type KeytabName, missingForSecureCluster, startSecureCluster } from '../../scripts/hdfs/secure-cluster.ts'
import { startKdc } from '../../scripts/kerberos/kdc.ts'
import { reasonToSkip } from './selected.ts'
import { missingForSpnego } from './spnego.ts'

/** Where the shared secure HDFS is. */
export type SecureHdfs = {
  readonly namenodeUrl: string
  readonly webhdfsUrl: string
  readonly dataNodeUrl: string
  readonly realm: string
  /** For `KRB5_CONFIG`. */
  readonly krb5Config: string
  /** Paths of keytabs, by who they are of. */
  readonly keytabs: Readonly<Record<KeytabName, string>>
}

declare module 'vitest' {
  interface ProvidedContext {
    secureHdfs: SecureHdfs | { readonly skipped: string }
  }
}

export const shareSecureHdfs = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const skipped =
    (await reasonToSkip(project, /suites\/secure-hdfs\.ts|describeSecureTools/, 'a secure HDFS')) ??
    (await missingForSpnego()) ??
    (await missingForSecureCluster()) ??
    (await missingForHdfs())
  if (skipped !== undefined) {
    project.provide('secureHdfs', { skipped })
    return undefined
  }
  const kdc = await startKdc()
  try {
    const cluster = await startSecureCluster({ kdc, log: line => console.log(`secure hdfs: ${line}`) })
    const { namenodeUrl, webhdfsUrl, dataNodeUrl, keytabs } = cluster
    const { realm, krb5Config } = kdc
    project.provide('secureHdfs', { namenodeUrl, webhdfsUrl, dataNodeUrl, realm, krb5Config, keytabs })
    return async () => {
      await cluster.stop()
      await kdc.stop()
    }
  } catch (error) {
    await kdc.stop()
    project.provide('secureHdfs', { skipped: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}
