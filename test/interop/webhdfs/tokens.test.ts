/** Where tokens are asked for, clients bring one as they would bring a delegation token of Hadoop. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { toHadoopToken } from '../../../admin/cli/tokens/hadoop-token.ts'
import { createToken } from '../../../src/http/auth/auth.ts'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import { toTokenLine } from '../../../src/http/auth/token-file.ts'
import { realParts } from '../../suites/hdfs.ts'
import { useSluice } from './doors.ts'
import { describeHadoopTools, type HadoopTools, type Printed, startTools } from './hadoop-tools.ts'
import { usePython } from './python-clients.ts'

const [writer, reader] = [createToken(), createToken()]

const directory = mkdtempSync(join(tmpdir(), 'sluice-webhdfs-tokens-'))
const file = join(directory, 'tokens')
const lines = [
  toTokenLine('alice', ['read', 'write'], hashToken(writer)),
  toTokenLine('bob', ['read'], hashToken(reader)),
]
writeFileSync(file, lines.join('\n'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('clients of WebHDFS with tokens', realParts, () => {
  const door = useSluice('embedded', [`auth.tokens=${file}`])

  test.for(['hdfs_cli.py', 'fsspec_pandas.py', 'opendal_store.py'])(
    'brought by %s',
    { timeout: 600_000 },
    async (script, context) => {
      const run = await usePython(context)
      const place = `/tokens-${script}-${context.task.result?.retryCount ?? 0}`
      expect(await run(script, door(), place, writer)).toBe('')
      // A word of the server, not of the client: nothing is known of it without.
      await expect(run(script, door(), `${place}-none`)).rejects.toThrow(/valid token|401|Authentication failure/)
      await expect(run(script, door(), `${place}-read`, reader)).rejects.toThrow(/403|denied|role/i)
    },
  )
})

await describeHadoopTools("Hadoop's shell with tokens", (_, tools) => {
  const door = useSluice('embedded', [`auth.tokens=${file}`])
  const run = (some: HadoopTools, properties: readonly string[], ...args: readonly string[]): Promise<Printed> => {
    const all = [...properties, `fs.defaultFS=${door().url.replace(/^http/, 'webhdfs')}`]
    return some.run('fs', [...all.flatMap(property => ['-D', property]), ...args], 'content')
  }

  test('that are wrapped as tokens of Hadoop', async () => {
    const { token: HADOOP_TOKEN } = await toHadoopToken({ gatewayUrl: door().url, token: writer })
    const own = await startTools({ HADOOP_TOKEN })
    try {
      expect(await run(own, [], '-put', '-f', '-', '/wrapped')).toMatchObject({ code: 0, err: '' })
      expect(await run(own, [], '-cat', '/wrapped')).toMatchObject({ code: 0, out: Buffer.from('content') })
      expect(await run(own, [], '-rm', '-skipTrash', '/wrapped')).toMatchObject({ code: 0 })
    } finally {
      own.close()
    }
    expect(await run(tools(), [], '-ls', '/')).toMatchObject({ code: 1 })
  })

  test('that a provider of OAuth gives it', async () => {
    const provider = 'dfs.webhdfs.oauth2.access.token.provider=RunTools$TokenOfProperty'
    const withToken = (token: string) => ['dfs.webhdfs.oauth2.enabled=true', provider, `sluice.token=${token}`]
    expect(await run(tools(), withToken(writer), '-put', '-f', '-', '/file')).toMatchObject({ code: 0, err: '' })
    const read = await run(tools(), withToken(reader), '-cat', '/file')
    expect(read).toMatchObject({ code: 0, out: Buffer.from('content') })
    expect(await run(tools(), withToken(reader), '-rm', '-skipTrash', '/file')).toMatchObject({ code: 1 })
    const stranger = await run(tools(), withToken(createToken()), '-cat', '/file')
    expect(stranger).toMatchObject({ code: 1, out: Buffer.of() })
  })
})
