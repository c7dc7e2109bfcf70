/**
 * `node test/bench/waiting/keys.ts [KEYS]`: the memory and disk space of many idempotency keys, and how long a start
 * takes to read them.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { openKeyStore } from '../../../src/spool/keys/key-store.ts'

const keys = Number(process.argv[2] ?? 2_000_000)
const flushEvery = 10_000
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const directory = await mkdtemp(join(tmpdir(), 'sluice-keys-'))
const outcome = { accepted: 1, rejected: 0, errors: [] }
const rss = (): number => Math.round(process.memoryUsage().rss / 2 ** 20)
try {
  const before = rss()
  const started = performance.now()
  const store = await openKeyStore(createNodeDisk({ directory }), { maxKeys: keys, maxEventIds: keys }, silent)
  for (let n = 0; n < keys; n++) {
    store.note({ idempotency: { key: `8e03978e-40d5-43e8-bc93-${n}`, fingerprint: `f${n}`, outcome } }, n)
    if (n % flushEvery === flushEvery - 1) await store.flush()
  }
  await store.close()
  const added = performance.now() - started
  const between = rss()
  const start = performance.now()
  const cpu = process.cpuUsage()
  const again = await openKeyStore(createNodeDisk({ directory }), { maxKeys: keys, maxEventIds: keys }, silent)
  const read = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  const files = await readdir(join(directory, 'keys'))
  const sizes = await Promise.all(files.map(async name => (await stat(join(directory, 'keys', name))).size))
  console.table({
    keys: again.keys.size,
    'added and synced, µs a key': ((added * 1_000) / keys).toFixed(1),
    'resident, more than before': `${between - before} MB`,
    'on the disk': `${Math.round(sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20)} MB in ${files.length} files`,
    'read at a start': `${(read / 1_000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of processor time`,
  })
  if (again.keys.size !== store.keys.size)
    throw new Error(`${again.keys.size} of ${store.keys.size} keys are known after the start`)
} finally {
  await rm(directory, { recursive: true, force: true })
}
