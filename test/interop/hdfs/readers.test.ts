/** What Sluice writes by HDFS' own protocol is read by Hadoop's shell and by hdfs-native, and the other way round. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FlatFileSystem } from '../../suites/flat-filesystem.ts'
import { isRequired } from '../../suites/hdfs.ts'
import { listAll } from '../../suites/list-all.ts'
import { start } from '../generators/programs.ts'
import { makePythonEnvironment } from '../python-environment.ts'
import { digest, digestTree } from '../webhdfs/files.ts'
import { fetchTools, type HadoopTools, startTools } from '../webhdfs/hadoop-tools.ts'
import { describeOwnHdfs, findFaults, fsck, openNative, threeDataNodes } from './own-cluster.ts'

const timeout = 600_000
const chunk = 512
/** What Sluice and Hadoop put into a packet of 64 KB. */
const packet = 127 * chunk

/** The files of one block size: nothing, and what begins or ends at chunks, packets and blocks. */
const layouts = [
  {
    blockSize: 1 << 20,
    sizes: [0, 1, ...[chunk, packet, 1 << 20, 3 << 20].flatMap(size => [size - 1, size, size + 1]), 3_200_001],
  },
  { blockSize: 1_024, sizes: [0, 1, ...[chunk, 1_024, 2_048].flatMap(size => [size - 1, size, size + 1]), 10_007] },
] as const

const bytesOf = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, at) => Math.imul(at, 2_654_435_761) >>> 13))

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 7_001) yield bytes.subarray(from, from + 7_001)
}

const missingTools = await fetchTools()
const made = await makePythonEnvironment('hdfs-native', join(import.meta.dirname, 'python/requirements.txt'))
const missing = missingTools ?? ('missing' in made ? made.missing : undefined)

if (missing !== undefined) {
  const isNeeded = isRequired('hadoop-clients') || isRequired('python-clients')
  if (!isNeeded) console.warn(`skipped clients of HDFS' own protocol: ${missing}`)
  describe.skipIf(!isNeeded)(`clients of HDFS' own protocol: ${missing}`, () =>
    test('are needed', () => expect(missing).toBe(undefined)),
  )
} else {
  await describeOwnHdfs("clients of HDFS' own protocol", threeDataNodes, cluster => {
    let fs: FlatFileSystem
    let shell: HadoopTools
    let local: string
    beforeAll(async () => {
      local = await mkdtemp(join(tmpdir(), 'sluice-readers-'))
      for (const { blockSize, sizes } of layouts) {
        await mkdir(localOf(blockSize))
        for (const size of sizes) await writeFile(join(localOf(blockSize), `${size}`), bytesOf(size))
      }
      ;[fs, shell] = await Promise.all([openNative(cluster()), startTools()])
    })
    afterAll(async () => {
      shell?.close()
      await fs?.close()
      await rm(local, { recursive: true, force: true })
    })

    const localOf = (blockSize: number): string => join(local, `${blockSize}`)
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, out, err } = await shell.run('fs', ['-D', `fs.defaultFS=${cluster().namenodeUrl}`, ...args])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      return out.toString()
    }
    const runPython = (what: 'put' | 'get', directory: string, remote: string, blockSize: number): Promise<string> => {
      const args = [what, cluster().namenodeUrl, directory, remote, `${blockSize}`, '3']
      const script = join(import.meta.dirname, 'python/copy_files.py')
      const env = { HADOOP_USER_NAME: cluster().user, PYTHONDONTWRITEBYTECODE: '1' }
      return start('python' in made ? made.python : '', [script, ...args], { cwd: local, env })
    }

    /** Those who write and read files of a directory. */
    const clients = {
      sluice: {
        put: async (remote: string, blockSize: number, sizes: readonly number[]) => {
          for (const size of sizes) await fs.create(`${remote}/${size}`, pieces(bytesOf(size)), { blockSize })
        },
        digests: async (remote: string) => {
          const files = (await listAll(fs, remote)).map(async ({ path }) => {
            const bytes = Buffer.concat(await Array.fromAsync(await fs.open(path)))
            return [path.slice(remote.length + 1), digest(bytes)] as const
          })
          return Object.fromEntries(await Promise.all(files))
        },
      },
      "Hadoop's shell": {
        put: async (remote: string, blockSize: number, sizes: readonly number[]) => {
          await run('-mkdir', '-p', remote)
          const files = sizes.map(size => join(localOf(blockSize), `${size}`))
          await run('-D', `dfs.blocksize=${blockSize}`, '-D', 'dfs.replication=3', '-put', ...files, remote)
        },
        digests: async (remote: string) => {
          const to = await mkdtemp(join(local, 'out-'))
          await run('-get', remote, `${to}/files`)
          return await digestTree(`${to}/files`)
        },
      },
      'hdfs-native': {
        put: (remote: string, blockSize: number) => runPython('put', localOf(blockSize), remote, blockSize),
        digests: async (remote: string) => {
          const to = join(await mkdtemp(join(local, 'out-')), 'files')
          await runPython('get', to, remote, 0)
          return await digestTree(to)
        },
      },
    }
    const names = ['sluice', "Hadoop's shell", 'hdfs-native'] as const
    const cases = names.flatMap((writer, at) => layouts.map(layout => ({ writer, ...layout, remote: `/by-${at}` })))

    test.for(cases)('$writer writes blocks of $blockSize bytes, and all read them', { timeout }, async one => {
      const { writer, blockSize, sizes } = one
      const remote = `${one.remote}/${blockSize}`
      await clients[writer].put(remote, blockSize, sizes)
      const want = Object.fromEntries(sizes.map(size => [`${size}`, digest(bytesOf(size))]))
      for (const reader of names) expect(await clients[reader].digests(remote), reader).toEqual(want)
      for (const { path, replication, blockSize: found } of await listAll(fs, remote)) {
        expect({ path, replication, found }).toEqual({ path, replication: 3, found: blockSize })
      }
      await expect.poll(async () => findFaults(await fsck(cluster(), remote))).toEqual([])
    })

    test('checksums of whole files are those of Hadoop, and the same for every writer', { timeout }, async () => {
      for (const { blockSize, sizes } of layouts) {
        for (const size of sizes) {
          const paths = names.map((_, at) => `/by-${at}/${blockSize}/${size}`)
          const own = await Promise.all(paths.map(path => fs.getFileChecksum(path)))
          const printed = (await run('-checksum', ...paths)).trim().split('\n')
          expect(printed.map(line => line.split('\t'))).toEqual(
            own.map(({ algorithm, bytes, length }, at) => [paths[at], algorithm, bytes.slice(0, 2 * length)]),
          )
          expect(new Set(own.map(({ bytes }) => bytes)).size, `${size}`).toBe(1)
        }
      }
    })

    test.each(['CRC32', 'CRC32C'])('files with other sums, %s of 1024 bytes, are read', { timeout }, async type => {
      const settings = [`dfs.checksum.type=${type}`, 'dfs.bytes-per-checksum=1024', 'dfs.replication=3']
      const remote = `/sums-${type}`
      await run('-mkdir', remote)
      const { blockSize, sizes } = layouts[0]
      const files = sizes.map(size => join(localOf(blockSize), `${size}`))
      await run(...settings.flatMap(one => ['-D', one]), '-put', ...files, remote)
      const want = Object.fromEntries(sizes.map(size => [`${size}`, digest(bytesOf(size))]))
      expect(await clients.sluice.digests(remote)).toEqual(want)
      for (const offset of [1, 511, 513, 1_023, 1_025, 65_537]) {
        const stream = await fs.open(`${remote}/3200001`, { offset, length: 3_000 })
        const found = Buffer.concat(await Array.fromAsync(stream))
        expect(found.equals(bytesOf(3_200_001).subarray(offset, offset + 3_000)), `${offset}`).toBe(true)
      }
    })

    test('Hadoop appends to what Sluice wrote, and Sluice to what Hadoop wrote', { timeout }, async () => {
      const bytes = bytesOf(100_003)
      const { appends } = fs
      if (appends === undefined) throw new Error('it appends nothing')
      await fs.create('/appended', pieces(bytes), { blockSize: 65_536 })
      await run('-appendToFile', join(localOf(1_024), '10007'), '/appended')
      const file = await appends.append('/appended')
      await file.write(bytes)
      await file.close()
      const want = digest(Buffer.concat([bytes, bytesOf(10_007), bytes]))
      const to = join(local, 'appended')
      await run('-get', '/appended', to)
      expect((await digestTree(local))['appended']).toBe(want)
      expect(digest(Buffer.concat(await Array.fromAsync(await fs.open('/appended'))))).toBe(want)
    })
  })
}
