import { expect, test } from 'vitest'
import { ticketCredentials } from '../../../src/cluster-tokens/ticket-credentials.ts'
import { RemoteException } from '../../../src/filesystem/cluster/remote-exception.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'

test('a ticket for the host, and who it is used for', async () => {
  const credentials = ticketCredentials({ authorization: async host => `Negotiate ${host}`, refused: () => true })
  expect(await credentials.of('bob', 'nn')).toEqual({
    params: { doas: 'bob' },
    headers: { authorization: 'Negotiate nn' },
  })
})

test.each([
  { status: 401, exception: 'AuthenticationException', isRefused: true },
  { status: 401, exception: '', isRefused: true },
  // A page of Jetty: "Clock skew too great", "Ticket expired", "Checksum failed".
  { status: 403, exception: '', isRefused: true },
  { status: 403, exception: 'AccessControlException', isRefused: false },
  { status: 403, exception: 'StandbyException', isRefused: false },
  { status: 500, exception: '', isRefused: false },
])('R20: tickets are forgotten after $status "$exception": $isRefused', ({ status, exception, isRefused }) => {
  let forgotten = 0
  const credentials = ticketCredentials({
    authorization: async () => '',
    refused: () => {
      forgotten++
      return true
    },
  })
  const cause = new RemoteException(exception, status, 'because')
  const error = new FileSystemError('unavailable', '/', 'Cannot look at "/": because', { cause })
  expect(credentials.refused(undefined, { params: {} }, error)).toBe(isRefused)
  expect(forgotten).toBe(isRefused ? 1 : 0)
})
