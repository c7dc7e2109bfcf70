import { describe, expect, test } from 'vitest'
import { formatPermission, parsePermission } from '../../../../src/gateway/write/permission.ts'

describe('parsePermission', () => {
  test.each([
    { given: '644', want: '0644' },
    { given: '0640', want: '0640' },
    { given: '1777', want: '1777' },
    { given: '000', want: '0000' },
    { given: 'u=rw,go=r', want: '0644' },
    { given: 'ugo=r', want: '0444' },
    { given: 'a=r', want: '0444' },
    { given: '=r', want: '0444' },
    { given: 'u=rwx,g=rx,o=', want: '0750' },
    { given: 'u+rw', want: '0600' },
    { given: 'u-w', want: '0000' },
    { given: 'a=rwx,o-w', want: '0775' },
    { given: 'u=r,u+w,', want: '0600' },
    { given: 'u+=x', want: '0100' },
    { given: 'uu=r', want: '0400' },
  ])('reads $given as $want', ({ given, want }) => expect(formatPermission(parsePermission(given))).toBe(want))

  test.each(['', '64', '888', '+644', '4755', '07777', 'u=X', 'u=rw go=r', 'rw-r--r--', 'u', 'u=r,,g=r'])(
    'refuses %j',
    given => expect(() => parsePermission(given)).toThrow(expect.objectContaining({ code: 'bad-parameter' })),
  )
})
