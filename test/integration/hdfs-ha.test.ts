/** A pair of NameNodes of which the active one is killed while it is called: nothing is lost, and nothing is done twice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingForHdfs } from '../../scripts/hdfs/artifacts.ts'
import { type HaPair, type NameNodeId, startHaPair } from '../../scripts/hdfs/ha-pair.ts'
import { createFileSystem } from '../../src/filesystem/create.ts'
import { startThree } from '../fleet/cluster.ts'
import { openPatientStore } from '../fleet/patient-store.ts'
import { until } from '../fleet/until.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { chunksOf, listNames, readText } from '../suites/filesystem.ts'
import { flat } from '../suites/flat-filesystem.ts'
import { describeUnless } from '../suites/kerberos.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'

describeUnless(await missingForHdfs(), 'HDFS by its own protocol at a pair of NameNodes', () => {
  let pair: HaPair
  let active: NameNodeId = 'nn1'
  const other = (): NameNodeId => (active === 'nn1' ? 'nn2' : 'nn1')
  beforeAll(async () => {
    pair = await startHaPair()
  })
  afterAll(() => pair.stop())

  const open = async (url = pair.url, more = {}) =>
    flat(await createFileSystem({ url, hadoopConf: pair.conf, protocol: 'native', ...more }))
  type Opened = Awaited<ReturnType<typeof open>>
  const failOver = async (): Promise<void> => {
    await pair.kill(active)
    await pair.activate(other())
  }
  const bringBack = async (): Promise<void> => {
    await pair.start(active)
    active = other()
  }

  test('is found by the name of its service, and by a comma list', async () => {
    const list = `hdfs://${pair.rpcAddressOf('nn1')},${pair.rpcAddressOf('nn2')}`
    for (const [index, url] of [pair.url, list].entries()) {
      for (const protocol of ['native', 'auto', 'webhdfs'] as const) {
        const webhdfs = index === 0 ? [] : [pair.webhdfsUrlOf('nn1'), pair.webhdfsUrlOf('nn2')]
        const fs = await open(url, { protocol, webhdfs })
        await fs.create(`/found/${index}`, chunksOf(protocol), { overwrite: true })
        expect(await readText(fs, `/found/${index}`)).toBe(protocol)
        expect(fs.url).toBe(url)
        await fs.close()
      }
    }
  })

  test('a standby hands over, and what is active now is asked first', async () => {
    const fs = await open()
    await fs.mkdirs('/before')
    await pair.deactivate(active)
    const waiting = fs.mkdirs('/during')
    await pair.activate(other())
    active = other()
    await waiting
    expect(await listNames(fs, '/')).toEqual(expect.arrayContaining(['before', 'during']))
    await fs.close()
  })

  const count = 400
  const names = Array.from({ length: count }, (_, at) => `f${at}`)

  /** Calls that are made one after the other by some at a time, until the active one was killed under them. */
  const through = async (fs: Opened, call: (name: string) => Promise<unknown>): Promise<void> => {
    const left = [...names]
    let failing: Promise<void> | undefined
    const work = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        await call(name)
        if (left.length < count / 2) failing ??= failOver()
      }
    }
    await Promise.all(Array.from({ length: 16 }, work))
    await failing
    await bringBack()
    expect((await fs.getFileStatus('/')).isDirectory).toBe(true)
  }

  test.for([1, 2])(
    'renames and deletes while the active one is killed: each once, and each told as it was (%d)',
    async round => {
      const fs = await open()
      const base = `/renames${round}`
      await fs.mkdirs(`${base}/to`)
      await Promise.all(names.map(name => fs.mkdirs(`${base}/from/${name}`)))
      await through(fs, name => fs.rename(`${base}/from/${name}`, `${base}/to/${name}`))
      expect(await listNames(fs, `${base}/from`)).toEqual([])
      expect((await listNames(fs, `${base}/to`)).toSorted()).toEqual(names.toSorted())
      const told: boolean[] = []
      await through(fs, async name => void told.push(await fs.delete(`${base}/to/${name}`)))
      expect(told).toEqual(names.map(() => true))
      expect(await listNames(fs, `${base}/to`)).toEqual([])
      await fs.close()
    },
  )

  test('files that are published while the active one is killed: all there, each once', async () => {
    const fs = await open()
    await through(fs, async name => {
      expect((await fs.publish(`/published/${name}`, chunksOf(name))).outcome).toBe('done')
    })
    expect((await listNames(fs, '/published')).toSorted()).toEqual(names.toSorted())
    for (const name of names) expect(await readText(fs, `/published/${name}`)).toBe(name)
    await fs.close()
  })

  test('R26: a failover of living collectors, of which none is taken over, and one in the middle of a takeover', async () => {
    const fleet = await startThree({
      cluster: { namenodeUrl: pair.url, webhdfsUrl: `${pair.webhdfsUrlOf('nn1')},${pair.webhdfsUrlOf('nn2')}` },
      outputDirectory: '/lost',
      openStore: async () =>
        openPatientStore((['nn1', 'nn2'] as const).map(id => () => openHdfsStore(pair.webhdfsUrlOf(id)))),
      // There is one DataNode.
      settings: () => [
        `namenode.hadoop-conf=${pair.conf}`,
        'collector.replicated.replication=1',
        'collector.replicated.min=1',
      ],
    })
    try {
      fleet.load()
      await fleet.acknowledged(100)
      await failOver()
      await bringBack()
      await fleet.acknowledged(100)
      expect((await fleet.logs()).filter(({ taker }) => taker !== undefined)).toEqual([])
      const [lost = expect.unreachable()] = fleet.machines
      await lost.lose()
      await until('it is being taken over', async () =>
        (await fleet.logs()).some(({ id, taker }) => id === lost.id && taker !== undefined),
      )
      await failOver()
      await fleet.takenOver(lost)
      await bringBack()
      await fleet.add(0)
      await fleet.acknowledged(100)
      const { verdict, problems } = await fleet.finish()
      expect({ verdict, problems }).toEqual({ verdict: allIsWell, problems: [] })
    } finally {
      await fleet.close()
    }
  })

  test('an upload outlives a failover, whatever is set for other calls', async () => {
    const settings = { url: pair.url, hadoopConf: pair.conf, protocol: 'native' } as const
    const fs = flat(await createFileSystem(settings, { maxRetries: 0 }))
    const bytes = Buffer.alloc(3_000_000, 'x')
    const blockSize = 1_048_576
    const source = async function* () {
      yield bytes.subarray(0, blockSize + 1)
      const failing = failOver()
      yield bytes.subarray(blockSize + 1, 2 * blockSize + 1)
      yield bytes.subarray(2 * blockSize + 1)
      await failing
    }
    await fs.create('/upload', source(), { blockSize })
    await bringBack()
    expect(await readText(fs, '/upload')).toBe(bytes.toString())
    await fs.close()
  })
})
