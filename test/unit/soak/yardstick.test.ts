import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYardstick } from '../../soak/yardstick.ts'

test('startYardstick: measures until it is stopped', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-yardstick-'))
  const yardstick = await startYardstick(directory)
  await expect.poll(() => yardstick.take()).toBeGreaterThan(0)
  await yardstick.stop()
  await rm(directory, { recursive: true })
})
