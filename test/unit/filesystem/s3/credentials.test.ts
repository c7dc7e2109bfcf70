import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { askText } from '../../../../src/filesystem/s3/credentials/ask-text.ts'
import type { AwsKeys, KeySource } from '../../../../src/filesystem/s3/credentials/aws-keys.ts'
import { splitWords } from '../../../../src/filesystem/s3/credentials/credential-process.ts'
import type { Environment } from '../../../../src/filesystem/s3/credentials/environment.ts'
import { toKeySources } from '../../../../src/filesystem/s3/credentials/find-keys.ts'
import { createKeptKeys } from '../../../../src/filesystem/s3/credentials/kept-keys.ts'
import { findRegion } from '../../../../src/filesystem/s3/credentials/region.ts'
import { createAsk } from '../../../../src/filesystem/webhdfs/transport/ask.ts'
import { maxErrorBytes } from '../../../../src/filesystem/webhdfs/transport/read-limited.ts'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'

let home: string
const own = createAsk()
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sluice-keys-'))
})
afterEach(async () => {
  await rm(home, { recursive: true })
  home = await mkdtemp(join(tmpdir(), 'sluice-keys-'))
})
afterAll(async () => {
  await own.close()
  await rm(home, { recursive: true })
})

const secret = 'hush+hush/42'
const write = async (name: string, content: string): Promise<string> => {
  await writeFile(join(home, name), content)
  return join(home, name)
}

/** A server that answers as AWS does, and what it is asked. */
const serve = async (answers: Readonly<Record<string, string>>) => {
  const asked: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { 'x-aws-ec2-metadata-token': token = '', 'x-aws-ec2-metadata-token-ttl-seconds': ttl = '' } = request.headers
    asked.push([request.method, request.url, token, ttl, body].filter(part => part !== '').join(' '))
    const found = answers[`${request.method} ${request.url}`]
    response.statusCode = found === undefined ? 404 : 200
    response.end(found ?? 'nothing')
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Keys as a file system finds them, and nothing of this machine. */
const find = (env: Environment, profile?: string): Promise<AwsKeys> => {
  const nowhere = {
    HOME: home,
    AWS_CONFIG_FILE: join(home, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(home, 'credentials'),
  }
  const all = { ...nowhere, AWS_EC2_METADATA_DISABLED: 'true', ...env }
  return createKeptKeys(
    toKeySources(profile, { ask: own.ask, env: all, region: 'eu-west-1', timeoutMs: 5_000 }),
  ).current()
}
const keys = (id: string, more: Partial<AwsKeys> = {}): AwsKeys => ({
  accessKeyId: id,
  secretAccessKey: secret,
  ...more,
})

describe('the environment', () => {
  test('has them', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: secret }
    expect(await find(env)).toEqual(keys('A'))
    expect(await find({ ...env, AWS_SESSION_TOKEN: 'T' })).toEqual(keys('A', { sessionToken: 'T' }))
  })

  test('comes before all others, but for a profile that the settings name', async () => {
    await write('credentials', `[p]\naws_access_key_id=P\naws_secret_access_key=${secret}\n`)
    const env = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: secret, AWS_PROFILE: 'p' }
    expect([(await find(env)).accessKeyId, (await find(env, 'p')).accessKeyId]).toEqual(['A', 'P'])
  })

  test('has half of them', () =>
    expect(find({ AWS_ACCESS_KEY_ID: 'A' })).rejects.toThrow(
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: only one of them is set',
    ))
})

test('without any it says where it looked', () =>
  expect(find({})).rejects.toThrow(
    'no credentials: looked at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the profile default, AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, the instance role',
  ))

describe('a profile', () => {
  test('has keys in either file; those of the credentials count', async () => {
    await write(
      'config',
      `[default]\nregion = r\n\n[profile  other]\r\naws_access_key_id = C\naws_secret_access_key=${secret}\n`,
    )
    await write(
      'credentials',
      `# one\n[default]\naws_access_key_id = D\naws_secret_access_key = ${secret}\naws_session_token= T=\n[other]\naws_access_key_id=O\n`,
    )
    expect(await find({})).toEqual(keys('D', { sessionToken: 'T=' }))
    expect(await find({}, 'other')).toEqual(keys('O'))
    expect(await find({ AWS_PROFILE: 'other' })).toEqual(keys('O'))
    const files = { AWS_CONFIG_FILE: join(home, 'config'), AWS_SHARED_CREDENTIALS_FILE: join(home, 'credentials') }
    expect([await findRegion(undefined, files), await findRegion('other', { ...files, AWS_REGION: 'e' })]).toEqual([
      'r',
      'e',
    ])
    expect(await findRegion(undefined, { HOME: home })).toBe('us-east-1')
  })

  test('has a program that prints them; it is started without a shell', async () => {
    const program = await write(
      'print keys',
      `#!/bin/sh\necho '{"Version":1,"AccessKeyId":"'"$1"'","SecretAccessKey":"${secret}","SessionToken":"T","Expiration":"2026-01-02T03:04:05Z"}'\n`,
    )
    await chmod(program, 0o755)
    await write('config', `[default]\ncredential_process = "${program}" 'X $(id)'\n`)
    const expiresAt = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(await find({})).toEqual(keys('X $(id)', { sessionToken: 'T', expiresAt }))
  })

  test.for([
    ['prints something else', `echo '${secret}'`, /printed no credentials in JSON$/],
    ['fails', `echo '${secret}' >&2; exit 3`, /failed: it ended with 3$/],
    ['is not there', undefined, /failed: ENOENT$/],
  ] as const)('a program that %s: no word of what it said', async ([, script, message]) => {
    const program = join(home, 'program')
    if (script !== undefined) {
      await writeFile(program, `#!/bin/sh\n${script}\n`)
      await chmod(program, 0o755)
    }
    await write('config', `[default]\ncredential_process = ${program}\n`)
    const error: unknown = await find({}).catch((thrown: unknown) => thrown)
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toContain(secret)
  })

  test('that is missing, or without keys, is said', async () => {
    await write('config', '[profile sso]\nsso_session = x\n')
    await expect(find({}, 'none')).rejects.toThrow('the profile none: no file of profiles has it')
    await expect(find({}, 'sso')).rejects.toThrow(/the profile sso: it has neither keys, nor credential_process/)
  })

  test.for([
    [`a "b c" 'd e' f\\ g`, ['a', 'b c', 'd e', 'f g']],
    ['  "a\\"b"x ', ['a"bx']],
    ['', []],
  ] as const)('words of %j', ([command, want]) => expect(splitWords(command)).toEqual(want))
})

describe('a web identity', () => {
  const answer = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>W</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>T</SessionToken><Expiration>2026-01-02T03:04:05Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`

  test('takes its role, with the token in the body; the file is read each time', async () => {
    const { asked, url } = await serve({ 'POST /': answer })
    const tokenFile = await write('token', 'one\n')
    const env = {
      AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
      AWS_ENDPOINT_URL_STS: url,
    }
    expect(await find(env)).toEqual(keys('W', { sessionToken: 'T', expiresAt: Date.UTC(2026, 0, 2, 3, 4, 5) }))
    await write('token', 'two')
    await find({ ...env, AWS_ROLE_SESSION_NAME: 's' })
    const form = 'Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr'
    expect(asked).toEqual([
      `POST / ${form}&RoleSessionName=sluice&WebIdentityToken=one`,
      `POST / ${form}&RoleSessionName=s&WebIdentityToken=two`,
    ])
  })

  test('of a profile', async () => {
    const { url } = await serve({ 'POST /': answer })
    const tokenFile = await write('token', 'one')
    await write('config', `[profile w]\nrole_arn = arn\nweb_identity_token_file = ${tokenFile}\n`)
    expect((await find({ AWS_ENDPOINT_URL_STS: url }, 'w')).accessKeyId).toBe('W')
  })

  test.for([
    ['a refusal', {}, /answered HTTP 404/],
    ['another answer', { 'POST /': '<html></html>' }, /answered without credentials/],
    ['no XML', { 'POST /': 'hello' }, /text outside/],
  ] as const)('%s is said, without the token', async ([, answers, message]) => {
    const { url } = await serve(answers)
    const env = {
      AWS_WEB_IDENTITY_TOKEN_FILE: await write('token', secret),
      AWS_ROLE_ARN: 'arn',
      AWS_ENDPOINT_URL_STS: url,
    }
    const error: unknown = await find(env).catch((thrown: unknown) => thrown)
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toContain(secret)
    await expect(find({ ...env, AWS_WEB_IDENTITY_TOKEN_FILE: join(home, 'none') })).rejects.toThrow(
      /none cannot be read: ENOENT/,
    )
    await expect(find({ AWS_ROLE_ARN: 'arn' })).rejects.toThrow(/only one of them is set/)
  })
})

describe("the instance's role", () => {
  const on = (url: string): Environment => ({ AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: url })
  const token = { 'PUT /latest/api/token': 'TTL' }
  const roles = 'GET /latest/meta-data/iam/security-credentials/'
  const json = `{"Code":"Success","AccessKeyId":"I","SecretAccessKey":"${secret}","Token":"T","Expiration":"2026-01-02T03:04:05Z"}`

  test('is asked for by version 2 of the metadata service', async () => {
    const { asked, url } = await serve({ ...token, [roles]: 'role-1', [`${roles}role-1`]: json })
    const expiresAt = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(await find(on(url))).toEqual(keys('I', { sessionToken: 'T', expiresAt }))
    expect(asked).toEqual(['PUT /latest/api/token 60', `${roles} TTL`, `${roles}role-1 TTL`])
  })

  test.for([
    ['no metadata', {}, /the instance metadata at [\d.:]+ answered HTTP 404/],
    ['no role', { ...token, [roles]: '' }, /the instance has no role/],
    ['no keys', { ...token, [roles]: 'r', [`${roles}r`]: '{}' }, /answered without credentials/],
  ] as const)('%s is said', async ([, answers, message]) => {
    const { url } = await serve(answers)
    await expect(find(on(url))).rejects.toThrow(message)
  })
})

describe('who is asked for keys', () => {
  const redirect = createServer((request, response) => {
    response.writeHead(request.url === '/long' ? 200 : 302, { location: '/elsewhere' })
    response.end('x'.repeat(request.url === '/long' ? maxErrorBytes + 1 : 1))
  })
  beforeAll(() => new Promise<void>(done => redirect.listen(0, '127.0.0.1', done)))
  afterAll(() => void redirect.close())

  test.for([
    ['a redirect', '/moved', /one answered HTTP 302$/],
    ['more than keys', '/long', /ANSWER_TOO_LARGE/],
  ] as const)('%s is no answer', async ([, path, message]) => {
    const url = new URL(path, `http://127.0.0.1:${(redirect.address() as AddressInfo).port}`)
    const asking = askText(own.ask, url, { method: 'GET', peer: 'one', timeoutMs: 5_000 })
    await expect(asking).rejects.toThrow(message)
  })
})

describe('keys that are kept', () => {
  const minute = 60_000
  const create = (lifeMs: number | undefined) => {
    const world = { now: 0, asked: 0, loads: 0, fails: false }
    const source: KeySource = {
      name: 'one',
      load: async () => {
        world.asked++
        if (world.fails) throw new Error('away')
        return keys(String(++world.loads), lifeMs === undefined ? {} : { expiresAt: world.now + lifeMs })
      },
    }
    const none: KeySource = { name: 'none', load: async () => undefined }
    return { world, kept: createKeptKeys([none, source], () => world.now) }
  }

  test('are fetched once, also by many at a time', async () => {
    const { world, kept } = create(undefined)
    await Promise.all([kept.current(), kept.current(), kept.current()])
    world.now = 1e12
    expect([(await kept.current()).accessKeyId, world.loads]).toEqual(['1', 1])
  })

  test('are fetched anew before they end: in the background first, and waited for at last', async () => {
    const { world, kept } = create(60 * minute)
    await kept.current()
    world.now = 49 * minute
    expect((await kept.current()).accessKeyId).toBe('1')
    expect(world.loads).toBe(1)
    world.now = 51 * minute
    expect((await kept.current()).accessKeyId).toBe('1')
    await expect.poll(async () => (await kept.current()).accessKeyId).toBe('2')
    world.now += 60 * minute
    expect((await kept.current()).accessKeyId).toBe('3')
  })

  test('are used to their end where no new ones come', async () => {
    const { world, kept } = create(60 * minute)
    await kept.current()
    world.fails = true
    world.now = 58 * minute
    expect((await kept.current()).accessKeyId).toBe('1')
    world.now = 59 * minute + 1
    await expect(kept.current()).rejects.toThrow('one: away')
    world.fails = false
    expect((await kept.current()).accessKeyId).toBe('2')
  })

  test('are not asked for by each call where no new ones come', async () => {
    const { world, kept } = create(60 * minute)
    await kept.current()
    world.fails = true
    world.now = 55 * minute
    await kept.current()
    await nextTurn()
    for (const ms of [0, 9_999]) {
      world.now = 55 * minute + ms
      await kept.current()
    }
    expect(world.asked).toBe(2)
    world.now = 55 * minute + 10_000
    await kept.current()
    expect(world.asked).toBe(3)
  })

  test('are fetched anew when they are refused, once', async () => {
    const { world, kept } = create(undefined)
    const first = await kept.current()
    kept.forget(first)
    await kept.current()
    kept.forget(first)
    await kept.current()
    expect(world.loads).toBe(2)
  })
})
