import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type DelegationToken,
  type DelegationTokensOptions,
  InvalidToken,
  isDelegationToken,
  openDelegationTokens,
} from '../../../src/delegation/delegation-tokens.ts'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { SluiceError } from '../../../src/errors.ts'
import { decodeDelegationTokenIdentifier } from '../../../src/formats/delegation-token-identifier.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../suites/tearing-disk.ts'

const [hour, day] = [3_600_000, 86_400_000]
const start = Date.UTC(2026, 0, 1)
const bob = { name: 'bob', subject: 'bob@REALM' }
const eve = { name: 'eve', subject: 'eve@REALM' }
const yarn = { name: 'yarn', subject: 'yarn/rm@REALM' }

/** On a disk of the test's choice, and at a time that it sets. */
const setUp = async (options: Partial<DelegationTokensOptions> = {}, disk: TearingDisk = createTearingDisk()) => {
  let ms = start
  const open = (on: TearingDisk) => openDelegationTokens({ disk: on, logger: silentLogger, now: () => ms, ...options })
  return {
    disk,
    open,
    tokens: await open(disk),
    pass: (some: number): void => {
      ms += some
    },
  }
}
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    error => (error instanceof InvalidToken ? 'invalid' : error instanceof SluiceError ? error.code : String(error)),
  )
/** `owner`, or why not. */
const verified = (tokens: { verify(token: DelegationToken): string }, token: DelegationToken): string => {
  try {
    return tokens.verify(token)
  } catch (error) {
    return error instanceof InvalidToken ? error.message.replace(/.*\) /, '') : String(error)
  }
}
const unknown = `can't be found in cache`

describe('a token', () => {
  test('represents its owner, says so, and has a password that cannot be guessed', async () => {
    const { tokens } = await setUp()
    const [one, other] = [await tokens.issue('bob@REALM', 'yarn'), await tokens.issue('bob@REALM', 'yarn')]
    expect(verified(tokens, one)).toBe('bob@REALM')
    expect(decodeDelegationTokenIdentifier(one.identifier)).toMatchObject({
      owner: 'bob@REALM',
      renewer: 'yarn',
      realUser: '',
      issueDate: start,
      maxDate: start + 7 * day,
    })
    expect([one.password.length, isDelegationToken(one)]).toEqual([32, true])
    expect(one.password).not.toEqual(other.password)
    expect(one.identifier).not.toEqual(other.identifier)
  })

  test('with any bit of it changed is unknown', async () => {
    const { tokens } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    for (const part of ['identifier', 'password'] as const) {
      for (let bit = 0; bit < 8 * token[part].length; bit++) {
        const changed = Uint8Array.from(token[part], (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        expect(() => tokens.verify({ ...token, [part]: changed }), `${part}, bit ${bit}`).toThrow(InvalidToken)
      }
    }
    const short = { ...token, password: token.password.subarray(1) }
    expect([verified(tokens, short), isDelegationToken(short)]).toEqual([unknown, false])
  })

  test('is invalid where its password has moved, or another represents the same', async () => {
    const { tokens } = await setUp()
    const { identifier, password } = await tokens.issue('bob@REALM', 'yarn')
    const moved = { identifier: Buffer.concat([identifier, password]), password: new Uint8Array() }
    expect(() => tokens.verify(moved)).toThrow(InvalidToken)
    const other = await tokens.issue('eve@REALM', 'yarn')
    expect(verified(tokens, { identifier, password: other.password })).toBe(unknown)
  })

  test('is distinguished from what only looks like one of Hadoop', () => {
    const password = new Uint8Array(32)
    expect(isDelegationToken({ identifier: new Uint8Array(), password })).toBe(false)
    expect(isDelegationToken({ identifier: Buffer.from('bob'), password })).toBe(false)
  })

  test('of another server is unknown here', async () => {
    const [{ tokens }, other] = [await setUp(), await setUp()]
    expect(verified(tokens, await other.tokens.issue('bob@REALM', 'yarn'))).toBe(unknown)
  })
})

describe('the life of a token', () => {
  test('is a day, a day more from each renewal, and a week in all', async () => {
    const { tokens, pass } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    pass(day - 1)
    expect(verified(tokens, token)).toBe('bob@REALM')
    expect(await tokens.renew(token, yarn)).toBe(start + 2 * day - 1)
    for (let i = 0; i < 6; i++) {
      pass(day - hour)
      expect(await tokens.renew(token, yarn)).toBe(
        Math.min(start + 7 * day, start + (i + 3) * day - (i + 1) * hour - 1),
      )
    }
    pass(6 * hour)
    expect(verified(tokens, token)).toBe('bob@REALM')
    pass(1)
    expect(verified(tokens, token)).toBe('is expired')
    expect(await codeOf(tokens.renew(token, yarn))).toBe('invalid')
  })

  test('is never longer than it may be in all', async () => {
    const { tokens, pass } = await setUp({ maxMs: hour })
    const token = await tokens.issue('bob@REALM', 'yarn')
    pass(hour)
    expect(verified(tokens, token)).toBe('is expired')
  })

  test('ends a day after the last renewal', async () => {
    const { tokens, pass } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    pass(day)
    expect(verified(tokens, token)).toBe('is expired')
    expect(await codeOf(tokens.renew(token, yarn))).toBe('invalid')
    expect(await codeOf(tokens.cancel(token, bob))).toBe('invalid')
  })

  test('is renewed only by the renewer', async () => {
    const { tokens } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    expect(await codeOf(tokens.renew(token, bob))).toBe('denied')
    expect(await codeOf(tokens.renew(token, eve))).toBe('denied')
    expect(await codeOf(tokens.renew(token, yarn))).toBe('ok')
  })

  test.each([
    ['the owner', bob, 'ok', unknown],
    ['the renewer', yarn, 'ok', unknown],
    ['somebody else', eve, 'denied', 'bob@REALM'],
    ['one of the same name elsewhere', { ...bob, subject: 'bob@ELSEWHERE' }, 'denied', 'bob@REALM'],
  ])('is ended by %s or not', async (_, caller, code, then) => {
    const { tokens, disk, open } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    expect(await codeOf(tokens.cancel(token, caller))).toBe(code)
    expect(verified(tokens, token)).toBe(then)
    expect(verified(await open(disk), token)).toBe(then)
  })
})

describe('on disk', () => {
  test('there is nothing until the first one is asked for', async () => {
    const { disk, tokens } = await setUp()
    await tokens.close()
    expect(await disk.list('.')).toEqual([])
  })

  test('there is one file for each, of which none has a token in it', async () => {
    const { disk, tokens } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    await tokens.issue('bob@REALM', 'yarn')
    expect(disk.paths).toHaveLength(2)
    const password = Buffer.from(token.password)
    for (const path of disk.paths) {
      expect(path).toMatch(/^delegation-tokens\/[0-9a-f]{64}$/)
      const bytes = Buffer.from(disk.contents(path)).toString()
      expect(bytes).toBe(
        `{"owner":"bob@REALM","renewer":"yarn","expiresAt":${start + day},"maxDate":${start + 7 * day}}`,
      )
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        expect(`${path} ${bytes}`).not.toContain(password.toString(form))
      }
    }
  })

  test('other users of the machine cannot look', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-delegation-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const disk = createNodeDisk({ directory: join(directory, 'data'), isPrivate: true })
    const tokens = await openDelegationTokens({ disk, logger: silentLogger })
    const token = await tokens.issue('bob@REALM', 'yarn')
    const home = join(directory, 'data', 'delegation-tokens')
    const [file = ''] = readdirSync(home)
    expect([statSync(home).mode & 0o777, statSync(join(home, file)).mode & 0o777]).toEqual([0o700, 0o600])
    expect(JSON.parse(readFileSync(join(home, file), 'utf8'))).toMatchObject({ owner: 'bob@REALM', renewer: 'yarn' })
    expect(verified(await openDelegationTokens({ disk, logger: silentLogger }), token)).toBe('bob@REALM')
  })

  test('what is over goes: at the start, and when the next one is issued', async () => {
    const { disk, tokens, open, pass } = await setUp()
    await tokens.issue('bob@REALM', 'yarn')
    pass(hour)
    await tokens.issue('bob@REALM', 'yarn')
    pass(day - hour)
    await tokens.issue('bob@REALM', 'yarn')
    expect(disk.paths).toHaveLength(2)
    pass(hour)
    await open(disk)
    expect(disk.paths).toHaveLength(1)
  })

  test.each([
    '',
    'null',
    '{"owner":"bob@REALM"',
    '{"renewer":"yarn","expiresAt":9e12,"maxDate":9e12}',
    '{"owner":"bob@REALM","expiresAt":9e12,"maxDate":9e12}',
    '{"owner":"bob@REALM","renewer":"yarn","expiresAt":"later","maxDate":9e12}',
    '{"owner":"bob@REALM","renewer":"yarn","expiresAt":9e12}',
  ])('half a file is removed, and a damaged one (%s) with a word of it', async text => {
    const lines: unknown[] = []
    const warn = (...line: readonly unknown[]) => void lines.push(line)
    const { disk, tokens, open } = await setUp({ logger: { ...silentLogger, warn } })
    const kept = await tokens.issue('bob@REALM', 'yarn')
    const [path = ''] = disk.paths
    const damaged = await tokens.issue('bob@REALM', 'yarn')
    const other = disk.paths.find(one => one !== path) ?? ''
    disk.overwrite(other, Buffer.from(text))
    await (await disk.create(`${path}.new`)).append(Buffer.from('{"ow'))
    await (await disk.create('delegation-tokens/notes.txt')).close()
    const again = await open(disk)
    expect([verified(again, kept), verified(again, damaged)]).toEqual(['bob@REALM', unknown])
    expect(disk.paths).toEqual([path, 'delegation-tokens/notes.txt'])
    expect(lines).toEqual([[{ file: `memory/${other}` }, expect.stringContaining('damaged')]])
  })

  test.each(['names', 'read'])('what cannot be read (%s) ends the start: it may be good tomorrow', async broken => {
    const { disk, tokens, open } = await setUp()
    await tokens.issue('bob@REALM', 'yarn')
    const fail: TearingDiskOptions['fail'] = operation => (operation === broken ? new Error('EIO') : undefined)
    await expect(open(disk.kill({ fail }))).rejects.toThrow('EIO')
  })

  test('the directory is safe before the first file is', async () => {
    const steps: string[] = []
    const fail: TearingDiskOptions['fail'] = (operation, path) => {
      steps.push(`${operation} ${path.replace(/[0-9a-f]{64}/, 'key')}`)
      return undefined
    }
    const { tokens } = await setUp({}, createTearingDisk({ fail }))
    await tokens.issue('bob@REALM', 'yarn')
    expect(steps.slice(1, 3)).toEqual(['mkdir delegation-tokens', 'fsyncDir .'])
    expect(steps.at(-1)).toBe('fsyncDir delegation-tokens')
  })

  test('a failure there is reported, and leaves nothing', async () => {
    for (const broken of ['mkdir', 'create', 'append', 'fdatasync', 'rename', 'fsyncDir'] as const) {
      let fails = true
      const fail: TearingDiskOptions['fail'] = operation =>
        fails && operation === broken ? new Error(`ENOSPC: ${operation}`) : undefined
      const { disk, tokens } = await setUp({}, createTearingDisk({ fail }))
      await expect(tokens.issue('bob@REALM', 'yarn')).rejects.toThrow('ENOSPC')
      if (broken !== 'fsyncDir') expect(disk.paths).toEqual([])
      fails = false
      expect(verified(tokens, await tokens.issue('bob@REALM', 'yarn'))).toBe('bob@REALM')
    }
  })

  test('a renewal that fails there did not happen', async () => {
    let fails = false
    const fail: TearingDiskOptions['fail'] = operation =>
      fails && operation === 'rename' ? new Error('EIO') : undefined
    const { tokens, pass } = await setUp({}, createTearingDisk({ fail }))
    const token = await tokens.issue('bob@REALM', 'yarn')
    pass(hour)
    fails = true
    await expect(tokens.renew(token, yarn)).rejects.toThrow('EIO')
    pass(day - hour)
    expect(verified(tokens, token)).toBe('is expired')
  })

  test('a token whose file cannot be removed is over all the same, and its file goes with the next sweep', async () => {
    let fails = false
    const fail: TearingDiskOptions['fail'] = operation =>
      fails && operation === 'unlink' ? new Error('EIO') : undefined
    const { disk, tokens } = await setUp({}, createTearingDisk({ fail }))
    const token = await tokens.issue('bob@REALM', 'yarn')
    fails = true
    await expect(tokens.cancel(token, bob)).rejects.toThrow('EIO')
    expect(verified(tokens, token)).toBe('is expired')
    fails = false
    await tokens.issue('bob@REALM', 'yarn')
    expect(disk.paths).toHaveLength(1)
  })
})

describe('what was promised holds', () => {
  test('after the process ended, and after a power cut', async () => {
    const random = seeded(7)
    for (let round = 0; round < 40; round++) {
      const { disk, tokens, open, pass } = await setUp()
      const [kept, renewed, cancelled] = [
        await tokens.issue('bob@REALM', 'yarn'),
        await tokens.issue('bob@REALM', 'yarn'),
        await tokens.issue('bob@REALM', 'yarn'),
      ]
      pass(hour)
      await tokens.renew(renewed, yarn)
      await tokens.cancel(cancelled, bob)
      for (const left of [disk.kill(), disk.powerCut(random)]) {
        const again = await open(left)
        const found = [kept, renewed, cancelled].map(one => verified(again, one))
        expect(found).toEqual(['bob@REALM', 'bob@REALM', unknown])
      }
      const again = await open(disk.powerCut(random))
      pass(day - hour)
      expect([verified(again, kept), verified(again, renewed)]).toEqual(['is expired', 'bob@REALM'])
    }
  })

  test('when it ends between any two steps', async () => {
    const random = seeded(11)
    for (let steps = 0; ; steps++) {
      let left = Number.POSITIVE_INFINITY
      let cut: TearingDisk | undefined
      const disk = createTearingDisk({
        fail: () => {
          if (left-- === 0) cut = steps % 2 ? disk.powerCut(random) : disk.kill()
          return undefined
        },
      })
      const { tokens, open, pass } = await setUp({}, disk)
      const [kept, cancelled] = [await tokens.issue('bob@REALM', 'yarn'), await tokens.issue('bob@REALM', 'yarn')]
      pass(hour)
      left = steps
      const done = { cancelled: false, renewed: false, issued: undefined as DelegationToken | undefined }
      const work = [
        tokens.cancel(cancelled, bob).then(() => Object.assign(done, { cancelled: true })),
        tokens.renew(kept, yarn).then(() => Object.assign(done, { renewed: true })),
        tokens.issue('bob@REALM', 'yarn').then(issued => Object.assign(done, { issued })),
      ]
      await Promise.race([Promise.all(work), turns(500)])
      const again = await open(cut ?? disk.kill())
      expect(verified(again, kept), `after ${steps} steps`).toBe('bob@REALM')
      if (done.cancelled) expect(verified(again, cancelled), `after ${steps} steps`).toBe(unknown)
      if (done.issued) expect(verified(again, done.issued), `after ${steps} steps`).toBe('bob@REALM')
      pass(day - hour)
      if (done.renewed) expect(verified(again, kept), `after ${steps} steps`).toBe('bob@REALM')
      if (!cut) {
        expect(steps).toBeGreaterThan(12)
        expect([done.cancelled, done.renewed, done.issued !== undefined]).toEqual([true, true, true])
        return
      }
    }
  })

  test('a cancellation while a renewal is under way', async () => {
    const { disk, tokens, open } = await setUp()
    const token = await tokens.issue('bob@REALM', 'yarn')
    const renewals = [tokens.renew(token, yarn), tokens.renew(token, yarn)]
    await Promise.all([...renewals, tokens.cancel(token, bob)])
    expect(disk.paths).toEqual([])
    expect(verified(await open(disk), token)).toBe(unknown)
  })
})

describe('there is an end', () => {
  test('to the tokens of one owner, until one is over', async () => {
    const { tokens, pass } = await setUp({ maxTokensOfOwner: 2 })
    const [first] = [await tokens.issue('bob@REALM', 'yarn'), await tokens.issue('bob@REALM', 'yarn')]
    expect(await codeOf(tokens.issue('bob@REALM', 'yarn'))).toBe('denied')
    expect(await codeOf(tokens.issue('eve@REALM', 'yarn'))).toBe('ok')
    await tokens.cancel(first, bob)
    expect(await codeOf(tokens.issue('bob@REALM', 'yarn'))).toBe('ok')
    expect(await codeOf(tokens.issue('bob@REALM', 'yarn'))).toBe('denied')
    pass(day)
    expect(await codeOf(tokens.issue('bob@REALM', 'yarn'))).toBe('ok')
  })

  test('to all of them, however many ask at once', async () => {
    const { disk, tokens } = await setUp({ maxTokens: 3 })
    const codes = await Promise.all(Array.from({ length: 5 }, (_, i) => codeOf(tokens.issue(`${i}@REALM`, 'yarn'))))
    expect(codes).toEqual(['ok', 'ok', 'ok', 'overloaded', 'overloaded'])
    expect(disk.paths).toHaveLength(3)
  })
})

test('closing waits for what is under way', async () => {
  const { disk, tokens } = await setUp()
  const issued = tokens.issue('bob@REALM', 'yarn')
  await tokens.close()
  expect(disk.safeFiles().size).toBe(1)
  await issued
})

/** Turns of the event loop: what has not ended then never will. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

/** Numbers from 0 to 1 that are the same each time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}
