import { SluiceError } from '../../errors.ts'

/** What a file system keeps: the sticky bit and `rwx` for user, group and others. */
const maxBits = 0o1777

/**
 * Permission bits of text: three or four octal digits (`640`, `0640`), or clauses as of `chmod` (`u=rw,go=r`), applied
 * one after another to a file without any permission. No class, or `a`, means everybody; of several operators in a row
 * the last counts. No umask is applied.
 * @throws SluiceError `bad-parameter`
 */
export const parsePermission = (text: string): number => {
  const bits = octal.test(text) ? parseOctal(text) : parseClauses(text)
  if (bits <= maxBits) return bits
  throw new SluiceError('bad-parameter', 'Parameter "permission": set-user and set-group bits are not supported')
}

/** Bits of digits that were checked. */
export const parseOctal = (digits: string): number => Number.parseInt(digits, 8)

/** Four octal digits. */
export const formatPermission = (bits: number): string => bits.toString(8).padStart(4, '0')

const octal = /^[0-7]{3,4}$/
const clause = /^([ugoa]{0,10})([-+=]{1,10})([rwx]{0,10})$/

const parseClauses = (text: string): number =>
  text
    .replace(/,$/, '')
    .split(',')
    .reduce((bits, part) => {
      const [, who, operators, rights] = clause.exec(part) ?? []
      if (who === undefined || operators === undefined || rights === undefined) {
        const expected = 'octal digits such as 644, or clauses such as u=rw,go=r'
        throw new SluiceError('bad-parameter', `Parameter "permission": expected ${expected}`)
      }
      return apply(bits, toShifts(who), operators.at(-1) ?? '=', parseRights(rights))
    }, 0)

const toShifts = (who: string): readonly number[] => {
  if (who === '' || who.includes('a')) return [6, 3, 0]
  return [...new Set(who)].map(one => (one === 'u' ? 6 : one === 'g' ? 3 : 0))
}

/** Three bits of the letters `rwx`, in any order. */
export const parseRights = (rights: string): number =>
  (rights.includes('r') ? 4 : 0) | (rights.includes('w') ? 2 : 0) | (rights.includes('x') ? 1 : 0)

const apply = (bits: number, shifts: readonly number[], operator: string, rights: number): number =>
  shifts.reduce((all, shift) => {
    if (operator === '+') return all | (rights << shift)
    if (operator === '-') return all & ~(rights << shift)
    return (all & ~(7 << shift)) | (rights << shift)
  }, bits)
