import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../admin/cli/commands.ts'
import { decodeHadoopToken } from '../../src/formats/hadoop-token.ts'
import { parseTokenFile } from '../../src/http/auth/token-file.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
afterAll(cleanUp)

type Result = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs the command as a program does: no terminal on either side. */
const sluice = (
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Result> =>
  new Promise(done => {
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...options.env }
    execFile(
      process.execPath,
      [bin, ...words],
      { cwd: options.cwd ?? createDirectory(), env },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number((error as { code?: unknown }).code)
        done({ code, stdout, stderr })
      },
    ).stdin?.end()
  })

const json = async (words: readonly string[], options?: Parameters<typeof sluice>[1]) => {
  const { code, stdout, stderr } = await sluice([...words, '--json'], options)
  return { code, stderr, data: JSON.parse(stdout) }
}

describe('U3: help', () => {
  test.each(Object.entries(commands))(
    '%s has a summary, examples that begin with it, and a class of its own',
    (id, command) => {
      expect(command.summary).toMatch(/^[A-Z].*\.$/)
      const examples = (command.examples ?? []).map(example =>
        typeof example === 'string' ? example : example.command,
      )
      expect(examples.length).toBeGreaterThan(0)
      for (const example of examples) expect(example).toContain(`sluice ${id.replaceAll(':', ' ')}`)
      for (const [name, flag] of Object.entries({ ...command.baseFlags, ...command.flags })) {
        expect(flag.summary, `--${name}`).toBeTruthy()
      }
    },
  )

  test('topics, commands and flags', async () => {
    expect((await sluice(['--help'])).stdout).toMatch(/spool +The collector's local files/)
    expect((await sluice(['help', 'flush', 'now'])).stdout).toMatch(
      /\$ sluice flush now \[--timeout SECONDS\] \[--json\]/,
    )
    expect((await sluice(['help', 'beans', 'get'])).stdout).toMatch(/\$ sluice beans get BEAN \[ATTRIBUTE\.\.\.\] \[/)
    expect((await sluice(['fs'])).stdout).toMatch(/fs put +Upload files/)
    expect((await sluice(['--version'])).stdout).toMatch(/^sluice\/\d+\.\d+\.\d+ /)
  })
})

describe('U3: exit codes', () => {
  // A port of our own without a listener.
  const nowhere = 'http://127.0.0.1:1'
  test.each([
    [
      ['flush', 'status', '--url', nowhere],
      3,
      /^✗ Nothing answers at http:\/\/127\.0\.0\.1:1 \(.+\)\n {2}Start the server with `sluice serve`/,
    ],
    [['fs', 'ls', '--server-url', nowhere], 3, /SLUICE_SERVER_URL/],
    [['health', '--server-url', nowhere], 3, /Nothing answers/],
    [['flsh', 'now'], 2, /^✗ There is no command flsh now\n {2}Did you mean `sluice flush now`\?/],
    [['beans', 'gett', 'Health'], 2, /Did you mean `sluice beans get`\?/],
    [['spool', 'lst'], 2, /Did you mean `sluice spool list`\?/],
    [['beans', 'get'], 2, /bean/],
    [['stats', '--intervall', '1'], 2, /intervall\n {2}Did you mean --interval\?/],
    [['config', 'server.prt'], 2, /Did you mean server\.port\?/],
    [['config', '--set', 'server.port=x'], 2, /server\.port/],
    [['config', 'mounts'], 2, /^✗ The setting mounts is retired\n {2}Its rows belong in `clusters`\./],
    [['spool', 'list', '--spool', '/nonexistent'], 1, /There is no spool at \/nonexistent/],
    [['fs', 'rm', '/x', '--server-url', nowhere], 2, /--yes/],
    [['token', 'list'], 2, /auth\.tokens is not set/],
    [['config', '-o', 'xml'], 2, /table, json, ndjson, csv/],
    [['config', '-o', 'csv', '-c', 'kye'], 2, /no column kye\n {2}There are key, value, source, description\./],
    [['serve', '--hlep'], 2, /unknown argument --hlep: did you mean --help\?/],
    [['open', '/../x'], 2, /\.\./],
    [['completion', 'tcsh'], 2, /bash, zsh, fish/],
  ])('%j ends with %i', async (words, code, message) => {
    const result = await sluice(words)
    expect(result.stderr).toMatch(message)
    expect(result).toMatchObject({ code, stdout: '' })
  })

  test('with --json the error is JSON on standard output', async () => {
    const { code, data, stderr } = await json(['flush', 'status', '--url', nowhere])
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(data).toEqual({
      error: {
        code: 'unreachable',
        message: expect.stringContaining(nowhere),
        hint: expect.stringContaining('SLUICE_URL'),
      },
    })
    expect(await json(['flush', 'sttus'])).toMatchObject({ code: 2, data: { error: { code: 'usage' } } })
  })
})

describe('U3: without a server', () => {
  test('config: values and where they come from, secrets hidden', async () => {
    const cwd = createDirectory()
    writeFileSync(join(cwd, 'sluice.yaml'), 'namenode.token: very-secret\nadmin.port: 9000\n')
    const { data } = await json(['config', '--changed', '--set', 'server.port=1'], {
      cwd,
      env: { SLUICE_DATA_DIR: '/d' },
    })
    const rows = data.settings.map(({ key, value, source }: Record<string, string>) => [key, value, source])
    expect(rows).toContainEqual(['server.port', '1', '--set'])
    expect(rows).toContainEqual(['data.dir', '/d', 'SLUICE_DATA_DIR'])
    expect(rows).toContainEqual(['admin.port', '9000', 'sluice.yaml'])
    expect(rows).toContainEqual(['namenode.token', '(hidden)', 'sluice.yaml'])
  })

  test('config: a setting that is retired is there where it is given, with a warning', async () => {
    const { data } = await json(['config', 'gateway', '--set', 'gateway.max-row-bytes=1MiB'])
    const retired = data.settings.filter(({ key }: Record<string, string>) => key?.startsWith('gateway.max-row'))
    expect(retired).toMatchObject([{ key: 'gateway.max-row-bytes', value: '1048576', source: '--set' }])
    expect(data.warnings).toEqual([expect.stringMatching(/^gateway\.max-row-bytes \(from --set\) is retired: /)])
  })

  test('token create: the file holds only the hash, once for each name', async () => {
    const cwd = createDirectory()
    const words = ['token', 'create', 'alice', '--role', 'view', '--role', 'operate', '--file', 'tokens']
    const { code, data } = await json(words, { cwd })
    expect(code).toBe(0)
    const text = readFileSync(join(cwd, 'tokens'), 'utf8')
    expect(text).not.toContain(data.token)
    expect(parseTokenFile(text).tokens).toMatchObject([{ name: 'alice', roles: new Set(['view', 'operate']) }])
    expect(await json(words, { cwd })).toMatchObject({ code: 1, data: { error: { code: 'exists' } } })
    const list = async (...more: string[]) => await sluice(['token', 'list', '--file', 'tokens', ...more], { cwd })
    expect((await list()).stdout).toMatch(/^KIND +NAME +ROLES\ntoken +alice +view, operate\n$/)
    expect((await list('-o', 'ndjson', '-c', 'name,roles')).stdout).toBe(
      '{"name":"alice","roles":["view","operate"]}\n',
    )
    expect(await list('-o', 'json', '-c', 'name')).toMatchObject({
      code: 2,
      stderr: '',
      stdout: expect.stringContaining('"error"'),
    })
  })

  test('token hadoop: the token for one server, as clients of Hadoop take it', async () => {
    const words = ['token', 'hadoop', '--server-url']
    const env = { SLUICE_TOKEN: 'top-secret' }
    const { data } = await json([...words, 'http://127.0.0.1:8080'], { env })
    const { identifier, password, ...rest } = decodeHadoopToken(data.token)
    expect([identifier.length, Buffer.from(password).toString()]).toEqual([0, 'top-secret'])
    expect(rest).toEqual({ kind: 'WEBHDFS delegation', service: '127.0.0.1:8080' })
    expect(await json([...words, 'https://127.0.0.1'], { env })).toMatchObject({
      data: { kind: 'SWEBHDFS delegation', service: '127.0.0.1:443' },
    })
    expect((await sluice([...words, 'http://127.0.0.1:8080'], { env })).stdout).toBe(`${data.token}\n`)
    expect(await json([...words, 'http://127.0.0.1'], {})).toMatchObject({
      code: 2,
      data: { error: { code: 'usage' } },
    })
    expect(await json([...words, 'http://nowhere.invalid'], { env })).toMatchObject({ code: 3 })
  })

  test('open prints the address without a graphical session', async () => {
    const env = { SLUICE_URL: 'http://h:1', SLUICE_SERVER_URL: 'http://h:2', DISPLAY: ':0', BROWSER: '/nonexistent' }
    const pages = { '': 'http://h:2/rest/1.0/hdfs?path=/', console: 'http://h:1/', docs: 'http://h:2/docs' }
    for (const [page, url] of Object.entries({ ...pages, '/a&b/ü': 'http://h:2/rest/1.0/hdfs?path=/a%26b/%C3%BC' }))
      expect(await sluice(['open', ...(page === '' ? [] : [page])], { env })).toEqual({
        code: 0,
        stdout: `${url}\n`,
        stderr: '',
      })
    expect(await json(['open', 'docs'], { env })).toMatchObject({ data: { url: 'http://h:2/docs', opened: false } })
  })

  test('the server tells its version', async () => {
    expect((await sluice(['serve', '--version'])).stdout).toMatch(/^sluice\/\d+\.\d+\.\d+ node-v\d+/)
  })

  test('import of an old spool, then list, verify and dump', async () => {
    const cwd = createDirectory()
    const old = join(cwd, 'old/127.0.0.1-8080-FWxB-2011-05-03T21.56.34.327.FuuEvent.smile')
    mkdirSync(old, { recursive: true })
    copyFileSync('test/fixtures/smile/spool-2events.smile', join(old, '1.bin'))
    const dry = await json(['spool', 'import', 'old', '--dry-run'], { cwd })
    expect(dry).toMatchObject({ code: 0, data: { events: 2, unreadable: 0 } })
    const done = await sluice(['spool', 'import', 'old'], { cwd })
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^✓ 2 events of 1 file taken/m)
    expect(await json(['spool', 'list'], { cwd })).toMatchObject({
      data: { holder: null, entries: [{ state: 'segment' }] },
    })
    expect(await json(['spool', 'verify'], { cwd })).toMatchObject({ code: 0, data: { problems: 0, segmentEvents: 2 } })
    const { stdout } = await sluice(['spool', 'dump'], { cwd })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).eventName),
    ).toEqual(['FuuEvent', 'FuuEvent'])
  })

  test('strays: the temporary directories of other collectors, and the removal of one by its id', async () => {
    const cwd = createDirectory()
    const [gone, living] = ['0'.repeat(32), 'f'.repeat(32)]
    for (const id of [gone, living]) {
      mkdirSync(join(cwd, `data/fs/events/_tmp/${id}`), { recursive: true })
      writeFileSync(join(cwd, `data/fs/events/_tmp/${id}/x.smile.1`), 'abc')
    }
    const stray = (id: string) => ({ id, path: `/events/_tmp/${id}`, files: 1, bytes: 3 })
    const { code, data } = await json(['spool', 'strays'], { cwd })
    expect({ code, data }).toMatchObject({ code: 0, data: { ownId: null } })
    expect(data.strays).toHaveLength(2)
    expect(data.strays).toEqual(expect.arrayContaining([expect.objectContaining(stray(gone))]))
    const text = (await sluice(['spool', 'strays'], { cwd })).stdout
    expect(text).toMatch(new RegExp(`^${gone} .* 1 +3 B$`, 'm'))
    expect(text).toContain('Whether the owner lives cannot be known')
    // Not a terminal: there is no one to ask.
    expect(await sluice(['spool', 'strays', 'remove', gone], { cwd })).toMatchObject({ code: 2 })
    expect(await json(['spool', 'strays', 'remove', gone, '--yes'], { cwd })).toMatchObject({
      code: 0,
      data: { removed: `/events/_tmp/${gone}` },
    })
    expect(await sluice(['spool', 'strays', 'remove', '../x', '--yes'], { cwd })).toMatchObject({ code: 1 })
    expect(await json(['spool', 'strays'], { cwd })).toMatchObject({ data: { strays: [stray(living)] } })
  })

  test('a reader that has seen enough ends a dump quietly', async () => {
    const cwd = createDirectory()
    const child = spawn(process.execPath, [bin, 'config'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', chunk => {
      stderr += String(chunk)
    })
    expect(await once(child, 'close')).toEqual([0, null])
    expect(stderr).toBe('')
  })
})

describe('U3: with a server', () => {
  let cwd = ''
  let env: Record<string, string> = {}

  beforeAll(async () => {
    cwd = createDirectory()
    const settings = [
      'collector.scribe.enabled=false',
      'collector.diskspool.min-free-bytes=0',
      // Its multiples are years apart.
      'collector.diskspool.flush-interval-seconds=100_000_000',
    ]
    const server = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd })
    const ready = await server.logged('sluice is ready')
    env = { SLUICE_URL: String(ready['admin']), SLUICE_SERVER_URL: String(ready['server']) }
    const response = await fetch(`${env['SLUICE_SERVER_URL']}/rest/1.0/event`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[{"eventName":"Big","payload":{"n":12345678901234567890}},{"eventName":"Big","payload":{"n":2}}]',
    })
    expect(response.status).toBe(202)
  })

  test('flush: disable, status, now, enable', async () => {
    expect(await json(['flush', 'disable'], { env })).toMatchObject({ code: 0, data: { enabled: false } })
    expect((await sluice(['flush', 'status'], { env })).stdout).toMatch(
      /^! Flushing is off: .*\n(?: {4}.*\n)* {4}sluice flush enable\n/,
    )
    expect((await sluice(['flush', 'now'], { env })).stdout).toMatch(/^✓ Flushed 1 file, \d+ B\n$/)
    expect(await json(['flush', 'now'], { env })).toEqual({
      code: 0,
      stderr: '',
      data: { files: 0, bytes: 0, failures: 0 },
    })
    expect(await json(['flush', 'enable'], { env })).toMatchObject({ code: 0, data: { enabled: true } })
  })

  test('status: what runs and waits; exit 1 with what to call while something is wrong', async () => {
    const { code, data } = await json(['status'], { env })
    expect(code).toBe(0)
    expect(data).toMatchObject({
      code: 'OK',
      server: {
        services: ['collector', 'gateway'],
        fileSystems: [{ path: '/', url: expect.stringMatching(/^file:/) }],
      },
      waiting: { flushEnabled: true, quarantine: { files: 0, events: 0 }, realtime: { enabled: false, events: 0 } },
      problems: [],
    })
    const well = await sluice(['status'], { env })
    expect(well.stdout).toMatch(/^sluice \d.*up .*\n {2}services +collector, gateway\n/)
    expect(well.stdout).toContain('✓ All is well')
    await sluice(['flush', 'disable'], { env })
    const ill = await sluice(['status'], { env })
    await sluice(['flush', 'enable'], { env })
    expect(ill).toMatchObject({ code: 1, stderr: '✗ 1 thing is wrong\n' })
    expect(ill.stdout).toMatch(
      /! Flushing is off: .*\n {4}Events are accepted and kept on this disk.*\n.*\n {4}sluice flush enable\n {4}docs\/runbook\.md#sluiceflushdisabled\n$/,
    )
  })

  test('fs: put, ls, cat, rows, get, rm', async () => {
    writeFileSync(join(cwd, 'words.txt'), 'word\tcount\nsluice\t7\n')
    const at = { cwd, env }
    expect(await json(['fs', 'put', 'words.txt', '/data/'], at)).toMatchObject({
      code: 0,
      data: { path: '/data/words.txt', size: 20 },
    })
    expect(await json(['fs', 'put', 'words.txt', '/data/'], at)).toMatchObject({
      code: 1,
      data: { error: { code: 'exists' } },
    })
    expect(await json(['fs', 'ls', '/data'], at)).toMatchObject({
      data: { entries: [{ path: '/data/words.txt', isDir: false }] },
    })
    expect((await sluice(['fs', 'cat', '/data/words.txt'], at)).stdout).toBe('word\tcount\nsluice\t7\n')
    expect(await json(['fs', 'rows', '/data/words.txt', '--range', '1-1'], at)).toMatchObject({ data: { errors: [] } })
    const columns = (await json(['fs', 'rows', '/data/words.txt', '--columns', 'col-7,col-0'], at)).data.rows
    expect(Object.keys(columns[0])).toEqual(['col-7', 'col-0'])
    expect((await json(['fs', 'rows', '/data/words.txt', '--where', 'col-1 < 8'], at)).data).toEqual({
      path: '/data/words.txt',
      rows: [{ 'col-0': 'sluice', 'col-1': '7' }],
      errors: [],
      searched: 2,
    })
    expect((await sluice(['fs', 'rows', '/data/words.txt', '-w', 'col-1 = 8'], at)).stdout).toBe(
      'None of 2 rows matches.\n',
    )
    expect(await json(['fs', 'rows', '/data/words.txt', '--where', 'col-1 ='], at)).toMatchObject({
      code: 1,
      data: { error: { code: 'bad-parameter' } },
    })
    expect(await json(['fs', 'get', '/data/words.txt', 'copy.txt'], at)).toMatchObject({ code: 0, data: { size: 20 } })
    expect(readFileSync(join(cwd, 'copy.txt'), 'utf8')).toBe('word\tcount\nsluice\t7\n')
    expect(await json(['fs', 'get', '/data/words.txt', 'copy.txt'], at)).toMatchObject({
      code: 1,
      data: { error: { code: 'exists' } },
    })
    expect(await json(['fs', 'rm', '/data', '--yes'], at)).toMatchObject({
      code: 1,
      data: { error: { code: 'not-empty' } },
    })
    expect(await json(['fs', 'rm', '/data', '--recursive', '--yes'], at)).toMatchObject({
      code: 0,
      data: { deleted: true },
    })
    expect(await sluice(['fs', 'cat', '/data/words.txt'], at)).toMatchObject({ code: 1, stdout: '' })
  })

  test('rows are never rounded, in the table nor in JSON', async () => {
    const numbers = ['1234567.891234', '0.1234567890123456789', '12.5', '1.0', '-0.0', '9223372036854775807', '1e-7']
    const nested = '{"a":[1234567.891234,9007199254740993]}'
    writeFileSync(join(cwd, 'n.jsonl'), `{${numbers.map((n, i) => `"c${i}":${n}`).join(',')},"n":${nested}}\n`)
    await sluice(['fs', 'put', 'n.jsonl', '/numbers/'], { cwd, env })
    const table = (await sluice(['fs', 'rows', '/numbers/n.jsonl'], { env })).stdout
    const [, line = ''] = table.split('\n')
    expect(line.split(/ {2,}/)).toEqual([...numbers, nested])
    const { stdout } = await sluice(['fs', 'rows', '/numbers/n.jsonl', '--json'], { env })
    const shown = [...stdout.matchAll(/"c\d": (.*),/g)].map(([, number]) => number)
    expect(shown).toEqual(numbers)
    expect(stdout.replace(/\s/g, '')).toContain(nested)
  })

  test('rows keep integers beyond 2^53', async () => {
    await sluice(['flush', 'now'], { env })
    const { stdout } = await sluice(['fs', 'rows', '/events/Big', '--recursive', '--json'], { env })
    expect(stdout).toContain('12345678901234567890')
    expect((await sluice(['fs', 'rows', '/events/Big', '--recursive'], { env })).stdout).toContain(
      '12345678901234567890',
    )
  })

  test('beans: list, search, get, call', async () => {
    const { data } = await json(['beans', 'list'], { env })
    const names: string[] = data.beans.map(({ mbean }: { mbean: string }) => mbean)
    expect(names).toContain('sluice.metrics.collector:name=HDFSWriter')
    expect((await sluice(['beans', 'search', '*:name=HDFSWriter,*'], { env })).stdout).toBe(
      'sluice.metrics.collector:name=HDFSWriter\n',
    )
    expect((await sluice(['beans', 'get', 'HDFSWriter', 'FlushEnabled'], { env })).stdout).toBe('true\n')
    expect(await json(['beans', 'get', 'WriterQueueStats'], { env })).toMatchObject({
      data: { attributes: { WrittenEvents: 2 } },
    })
    expect(await json(['beans', 'call', 'HDFSWriter', 'nothing'], { env })).toMatchObject({
      code: 1,
      data: { error: { code: 'operation-not-found' } },
    })
    expect(await json(['beans', 'call', 'HDFSWriter', 'nbLocalFiles'], { env })).toMatchObject({
      code: 0,
      data: { value: 0 },
    })
  })

  test('completion asks for beans and event types; without a server it says nothing', async () => {
    expect((await sluice(['completion', 'names', 'beans'], { env })).stdout).toMatch(/^HDFSWriter$/m)
    expect((await sluice(['completion', 'names', 'types'], { env })).stdout).toBe('Big\n')
    const nowhere = { SLUICE_URL: 'http://127.0.0.1:1' }
    expect(await sluice(['completion', 'names', 'types'], { env: nowhere })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('stats of a time that was', async () => {
    const { code, stdout } = await sluice(['stats', '--since', '6h'], { env })
    expect([code, stdout.split('\n', 1)[0]]).toEqual([0, expect.stringMatching(/^Nothing is known|every 10 s$/)])
    expect(await json(['stats', '--since', '6h'], { env })).toMatchObject({ code: 0, data: { stepMs: 10_000 } })
    expect(await json(['stats', '--since', 'soon'], { env })).toMatchObject({
      code: 2,
      data: { error: { code: 'usage' } },
    })
  })

  test('rows for programs: a line for each, of JSON or CSV', async () => {
    const out = async (...words: string[]) => (await sluice(words, { env })).stdout.trimEnd().split('\n')
    expect(await out('beans', 'get', 'HDFSWriter', 'FlushEnabled', '-o', 'csv')).toEqual([
      'attribute,value',
      'FlushEnabled,true',
    ])
    const beans = (await out('beans', 'list', '-o', 'ndjson')).map(line => JSON.parse(line))
    expect(beans).toContainEqual(expect.objectContaining({ mbean: 'sluice.metrics.collector:name=HDFSWriter' }))
    expect((await out('health', '-o', 'csv'))[0]).toBe('type,code,message')
    const [head = '', first = '', second = '', ...more] = await out('stats', '-w', '-n', '2', '-o', 'csv')
    expect([head.split(',').slice(0, 3), more]).toEqual([['time', 'received', 'written'], []])
    for (const line of [first, second]) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,2,2,/)
    expect((await out('stats', '--since', '1h', '-o', 'csv'))[0]).toMatch(/^(time,.*received|$)/)
    // Both are the same data.
    expect(await json(['beans', 'get', 'HDFSWriter', '-o', 'json'], { env })).toMatchObject({ code: 0 })
    expect((await sluice(['beans', 'get', 'nobody', '-o', 'json'], { env })).stdout).toMatch(/"bean-not-found"/)
  })

  test('stats, once and as lines', async () => {
    expect(await json(['stats'], { env })).toMatchObject({
      code: 0,
      data: { totals: { received: 2, written: 2, lost: 0 } },
    })
    const { stdout } = await sluice(['stats', '--watch', '--count', '2', '--json'], { env })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).totals.written),
    ).toEqual([2, 2])
  })

  test('another server on the port is distinguished from no server', async () => {
    const wrong = { SLUICE_URL: env['SLUICE_SERVER_URL'] ?? '', SLUICE_SERVER_URL: env['SLUICE_URL'] ?? '' }
    for (const words of [
      ['beans', 'list'],
      ['fs', 'ls'],
    ]) {
      const { code, data } = await json(words, { env: wrong })
      expect({ code, isUnreachable: data.error.code === 'unreachable' }).toEqual({ code: 1, isUnreachable: false })
    }
  })

  test('health, realtime, and the offline tools beside the server', async () => {
    expect(await json(['health'], { env })).toMatchObject({ code: 0, data: { items: expect.any(Array) } })
    expect(await json(['realtime', 'status'], { env })).toMatchObject({ code: 0, data: { enabled: false } })
    expect(await json(['spool', 'verify'], { cwd })).toMatchObject({
      code: 0,
      data: { problems: 0, holder: expect.stringContaining('process') },
    })
    expect(await json(['spool', 'replay'], { cwd })).toMatchObject({
      code: 1,
      data: { error: { code: 'spool-locked' } },
    })
  })
})
