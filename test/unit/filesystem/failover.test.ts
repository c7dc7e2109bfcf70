import { expect, test } from 'vitest'
import { createFailover } from '../../../src/filesystem/cluster/failover.ts'
import { RemoteException } from '../../../src/filesystem/cluster/remote-exception.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'

const fail = (cause: unknown): never => {
  throw new FileSystemError('unavailable', '/', 'away', { cause })
}
const dead = (): never => fail(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))

test('a failover is waited for whatever other calls make of the order: the dead node may come twice in a row', async () => {
  const about = { path: '/', repeatable: true }
  let rounds = 0
  // Each time another call finds that the next node is to be asked.
  const sleep = async (): Promise<void> => {
    rounds++
    let isFirst = true
    await failover({ ...about, maxRetries: 0 }, async () => {
      const wasFirst = isFirst
      isFirst = false
      if (wasFirst) dead()
    })
  }
  const failover = createFailover(['dead', 'standby'], name => name, { sleep, now: () => 0 })
  const seen: string[] = []
  await failover(about, async name => {
    seen.push(name)
    if (name === 'dead') dead()
    if (rounds < 30) fail(new RemoteException('StandbyException', 403, 'stands by'))
  })
  expect(rounds).toBeGreaterThanOrEqual(30)
  expect(seen.join(' ')).toContain('dead dead')
})
