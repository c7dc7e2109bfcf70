// node:fs
/**
 * Users and groups of this machine by the files that have them (passwd(5), group(5)), a line for each:
 *
 *     name ':' password ':' number ':' …
 */
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** Names and numbers of users and groups. */
export type Accounts = {
  /** The name of a number; the number itself where the machine has no name for it. */
  readonly nameOf: (kind: AccountKind, number: number) => string
  /**
   * The number of a name, or of a number as text; undefined if the machine does not know the name. Reads the files
   * again.
   */
  readonly numberOf: (kind: AccountKind, name: string) => number | undefined
}

/** What has a name and a number. */
export type AccountKind = 'user' | 'group'

/** Reads the files once; names that are added later are known after the next {@link Accounts.numberOf}. */
export const createAccounts = (files: Readonly<Record<AccountKind, string>> = ofMachine): Accounts => {
  const numbers = { user: readUsers(files.user), group: readNumbers(files.group) }
  const names = { user: invert(numbers.user), group: invert(numbers.group) }
  return {
    nameOf: (kind, number) => names[kind].get(number) ?? String(number),
    numberOf: (kind, name) => {
      numbers[kind] = kind === 'user' ? readUsers(files.user) : readNumbers(files.group)
      names[kind] = invert(numbers[kind])
      return numbers[kind].get(name) ?? (/^\d{1,9}$/.test(name) ? Number(name) : undefined)
    },
  }
}

const ofMachine = { user: '/etc/passwd', group: '/etc/group' }

/** The own user may come from a directory service, and be in no file. */
const readUsers = (file: string): Map<string, number> => {
  const numbers = readNumbers(file)
  try {
    const { username, uid } = userInfo()
    if (uid >= 0) numbers.set(username, uid)
  } catch {
    // In a container the user may be a number that has no name.
  }
  return numbers
}

const readNumbers = (file: string): Map<string, number> => {
  try {
    const lines = readFileSync(file, 'utf8').matchAll(/^([^#:\n][^:\n]*):[^:\n]*:(\d{1,9})(?=[:\n]|$)/gm)
    return new Map([...lines].map(([, name = '', number]) => [name, Number(number)]))
  } catch {
    return new Map()
  }
}

/** The first name of a number counts, as in the C library. */
const invert = (numbers: ReadonlyMap<string, number>): Map<number, string> =>
  new Map([...numbers].reverse().map(([name, number]) => [number, name]))
