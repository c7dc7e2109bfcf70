import { createRequire } from 'node:module'
import { missingForKerberos } from '../../scripts/kerberos/programs.ts'

/** What is missing on this machine for Sluice to meet a KDC, as a sentence for people; undefined when all is there. */
export const missingForSpnego = async (): Promise<string | undefined> =>
  (await missingForKerberos()) ?? missingPackage()

const missingPackage = (): string | undefined => {
  try {
    createRequire(import.meta.url)('kerberos')
    return undefined
  } catch (error) {
    return `no npm package "kerberos": ${String(error).split('\n')[0]}`
  }
}
