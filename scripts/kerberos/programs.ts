/** The programs of MIT Kerberos on this machine. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '../find-program.ts'

/** The Debian package of each. */
const packages = {
  krb5kdc: 'krb5-kdc',
  kdb5_util: 'krb5-kdc',
  'kadmin.local': 'krb5-admin-server',
  kinit: 'krb5-user',
} as const
export type KerberosProgram = keyof typeof packages

/** Where Debian has the programs of administrators, which people do not have on their `PATH`. */
const administration = ['/usr/sbin', '/usr/local/sbin']

/** What is missing on this machine to run a KDC and get tickets, as a sentence for people; undefined when all is there. */
export const missingForKerberos = async (): Promise<string | undefined> => {
  for (const [name, from] of Object.entries(packages)) {
    if (!(await find(name))) return `no Kerberos: "${name}" (Debian's package ${from}) is not on the PATH`
  }
  return undefined
}

/**
 * Path of a program.
 * @throws Error when it is not there
 */
export const findKerberosProgram = async (name: KerberosProgram): Promise<string> => {
  const path = await find(name)
  if (path === undefined) throw new Error(`Cannot run ${name}: Debian's package ${packages[name]} is not installed`)
  return path
}

/**
 * Runs one of them to its end.
 * @throws Error with what it complained of
 */
export const runKerberos = async (
  name: KerberosProgram,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> => {
  const path = await findKerberosProgram(name)
  await promisify(execFile)(path, args, { env: { ...process.env, LC_ALL: 'C', ...env } })
}

const find = (name: string): Promise<string | undefined> => findProgram(name, [], administration)
