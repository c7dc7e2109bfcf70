import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FileSystemError, type PublishOptions } from '../../src/filesystem/filesystem.ts'
import { chunksOf, expectCode, listNames, readText } from './file-text.ts'
import { type FlatFileSystem, fromVerbs } from './flat-filesystem.ts'

type Subject = { readonly fs: () => FlatFileSystem; readonly base: string }

/** Other verbs in the place of some of a file system's. */
type Change = (own: FlatFileSystem) => Partial<FlatFileSystem>

const text = '0123456789'
const away = (path: string): FileSystemError => new FileSystemError('unavailable', path, 'away')
const attemptOf = (temporary: string) => ({ temporary, length: text.length, crc: crc32(text) })

/** Whole or not at all, on every file system. Below `base`, in a directory for each test. */
export const describePublish = (name: string, { fs, base }: Subject): void => {
  const at = (path: string): string => `${base}/publish/${path}`
  const changed = (change?: Change): FlatFileSystem => (change ? fromVerbs({ ...fs(), ...change(fs()) }) : fs())
  const write = (path: string, content: string): Promise<void> => fs().create(at(path), chunksOf(content))
  const read = (path: string): Promise<string> => readText(fs(), at(path))
  const names = (path: string): Promise<string[]> => listNames(fs(), at(path))
  const exists = (path: string): Promise<boolean> =>
    fs()
      .getFileStatus(path)
      .then(() => true)
      .catch(() => false)

  /** Both ways of sending: without and with a noted attempt. */
  const ways: readonly (readonly [string, (path: string, note?: () => Promise<void>) => PublishOptions])[] = [
    ['nobody notes it', () => ({})],
    ['noted', (path, note = async () => {}) => ({ attempt: { ...attemptOf(at(`${path}/tmp/t`)), note } })],
  ]

  describe.each(ways)(`${name}: publish (%s)`, (way, toOptions) => {
    const publish = (path: string, change?: Change, more: PublishOptions = {}) =>
      changed(change).publish(at(`${path}/f`), chunksOf('01234', '56789'), { ...toOptions(path), ...more })

    test('writes a whole file, and nothing else', async () => {
      const path = `whole-${way}`
      expect(await publish(path, undefined, { permission: 0o640 })).toMatchObject({
        outcome: 'done',
        status: { path: at(`${path}/f`), length: 10, isDirectory: false, permission: 0o640 },
      })
      expect(await read(`${path}/f`)).toBe(text)
      expect((await names(path)).filter(entry => entry !== 'tmp')).toEqual(['f'])
    })

    test.for(['another text', 'abcdefghij', ''])('never replaces what appears meanwhile (%j)', async foreign => {
      const path = `meanwhile-${way}-${foreign.length}`
      const outcome = publish(path, own => ({
        rename: async (source, target, options) => {
          if (!(await exists(target))) await own.create(target, chunksOf(foreign))
          await own.rename(source, target, options)
        },
      }))
      if (way === 'noted') expect(await outcome).toMatchObject({ outcome: 'foreign', failure: { code: 'exists' } })
      else await expectCode(outcome, 'exists')
      expect(await read(`${path}/f`)).toBe(foreign)
    })

    test('replaces a file where it is asked to, also one of the same length', async () => {
      const path = `replaced-${way}`
      await write(`${path}/f`, 'abcdefghij')
      let sent = 0
      const outcome = await publish(
        path,
        own => ({
          rename: async (source, target, options) => {
            if (sent++ === 0) throw away(source)
            await own.rename(source, target, options)
          },
        }),
        { overwrite: true },
      )
      expect([outcome.outcome, await read(`${path}/f`)]).toEqual(['done', text])
    })

    test('a RENAME whose reply is lost has taken effect', async () => {
      const path = `lost-${way}`
      const { outcome } = await publish(path, own => ({
        rename: async (source, target, options) => {
          await own.rename(source, target, options)
          throw away(source)
        },
      }))
      expect([outcome, await read(`${path}/f`)]).toEqual(['done', text])
    })

    test('a RENAME that is not carried out is repeated, and not for long', async () => {
      const path = `repeated-${way}`
      let sent = 0
      const refusing = (until: number): Change => {
        sent = 0
        return own => ({
          rename: async (source, target, options) => {
            if (++sent <= until) throw away(source)
            await own.rename(source, target, options)
          },
        })
      }
      await expectCode(publish(path, refusing(9)), 'unavailable')
      expect([sent, await exists(at(`${path}/f`))]).toEqual([3, false])
      expect((await publish(path, refusing(2))).outcome).toBe('done')
      expect(await read(`${path}/f`)).toBe(text)
    })

    test('a file that arrives short is not given its name, and does not stay', async () => {
      const path = `short-${way}`
      let isRenamed = false
      const outcome = publish(path, own => ({
        create: async (temporary, source, options) => {
          for await (const _ of source);
          await own.create(temporary, chunksOf('01234'), options)
        },
        rename: async () => {
          isRenamed = true
        },
      }))
      await expectCode(outcome, 'unavailable')
      const left = way === 'noted' ? at(`${path}/tmp/t`) : at(path)
      expect([isRenamed, await exists(at(`${path}/f`)), await exists(left)]).toEqual([false, false, false])
    })

    test('a file that is cut before it gets its name: it has to be sent again, and does not get it', async () => {
      const path = `cut-${way}`
      const { outcome } = await publish(path, own => ({
        rename: async source => {
          await own.create(source, chunksOf('01234'), { overwrite: true })
          throw away(source)
        },
      }))
      expect([outcome, await exists(at(`${path}/f`))]).toEqual(['again', false])
      if (way !== 'noted') await expect.poll(() => exists(at(path))).toBe(false)
    })

    test.for([0, 1, 2])('a source that fails after %d chunks: its error, and no file', async chunks => {
      const path = `source-${way}-${chunks}`
      const broken = new Error('the client went away')
      const source = async function* () {
        for (let left = chunks; left > 0; left--) yield new Uint8Array(5)
        throw broken
      }
      const outcome = changed().publish(at(`${path}/f`), source(), toOptions(path))
      await expect(outcome).rejects.toBe(broken)
      expect(await exists(at(`${path}/f`))).toBe(false)
      if (way !== 'noted') await expect.poll(() => exists(at(path))).toBe(false)
    })
  })

  describe(`${name}: publish`, () => {
    test.for([
      ['is there', 'refused/taken', 'exists', false],
      ['is a directory', 'refused', 'is-directory', false],
      ['is a directory, to be replaced', 'refused', 'is-directory', true],
      ['is below a file', 'refused/taken/below', 'not-directory', false],
    ] as const)('what %s is refused before anything is sent', async ([, path, code, overwrite]) => {
      await fs().create(at('refused/taken'), chunksOf('old'), { overwrite: true })
      let isRead = false
      const source = async function* () {
        isRead = true
        yield new Uint8Array(1)
      }
      await expectCode(changed().publish(at(path), source(), { overwrite }), code)
      expect([isRead, await names('refused'), await read('refused/taken')]).toEqual([false, ['taken'], 'old'])
    })

    test('an attempt is noted when all of it is there, and before it can take effect', async () => {
      const seen: unknown[] = []
      const note = async () => {
        seen.push(await read('noted/t'), await exists(at('noted/f')))
      }
      const attempt = { ...attemptOf(at('noted/t')), note }
      const { outcome } = await changed().publish(at('noted/f'), chunksOf(text), { attempt })
      expect([outcome, ...seen]).toEqual(['done', text, false])
    })

    test('an attempt that cannot be noted does not take effect; it stays where it is', async () => {
      const full = new Error('the disk is full')
      const attempt = { ...attemptOf(at('unnoted/t')), note: () => Promise.reject(full) }
      await expect(changed().publish(at('unnoted/f'), chunksOf(text), { attempt })).rejects.toBe(full)
      expect(await names('unnoted')).toEqual(['t'])
    })

    test.for([
      ['refused', 'not-found', 'again'],
      ['not answered', 'unavailable', 'taken'],
    ] as const)('a file that vanishes when its RENAME is %s', async ([, code, outcome]) => {
      const path = `vanishes-${code}`
      const attempt = { ...attemptOf(at(`${path}/t`)), note: async () => {} }
      const vanishing: Change = own => ({
        rename: async source => {
          await own.delete(source)
          throw new FileSystemError(code, source, 'no')
        },
      })
      const published = await changed(vanishing).publish(at(`${path}/f`), chunksOf(text), { attempt })
      expect(published).toMatchObject({ outcome, failure: { code } })
    })
  })

  describe(`${name}: settle`, () => {
    const cut = text.slice(0, 9)
    const states: readonly (readonly [string, { t?: string; f?: string }, string, { t?: string; f?: string }])[] = [
      ['not renamed yet', { t: text }, 'done', { f: text }],
      ['renamed', { f: text }, 'done', { f: text }],
      ['under both names', { t: text, f: text }, 'done', { t: text, f: text }],
      ['gone', {}, 'taken', {}],
      ['cut', { t: cut }, 'again', { t: cut }],
      ['empty', { t: '' }, 'again', { t: '' }],
      ['longer', { t: `${text}x` }, 'again', { t: `${text}x` }],
      ['another has its name', { t: text, f: 'abcdefghij' }, 'foreign', { t: text, f: 'abcdefghij' }],
      ['another has its name, and it is gone', { f: 'abcdefghij' }, 'foreign', { f: 'abcdefghij' }],
      ['a shorter one has its name', { t: text, f: cut }, 'foreign', { t: text, f: cut }],
    ]
    test.for(states)('%s', async ([state, before, outcome, after]) => {
      const path = `settle-${state.replaceAll(/\W/g, '-')}`
      await fs().mkdirs(at(path))
      for (const [entry, content] of Object.entries(before)) await write(`${path}/${entry}`, content)
      const settled = await changed().settle(at(`${path}/f`), attemptOf(at(`${path}/t`)))
      expect(settled.outcome).toBe(outcome)
      const found: [string, string][] = []
      for (const entry of await names(path)) found.push([entry, await read(`${path}/${entry}`)])
      expect(Object.fromEntries(found)).toEqual(after)
    })

    test('a refusal of RENAME now says nothing of the one before the crash', async () => {
      await write('refused-later/t', text)
      const vanishing: Change = own => ({
        rename: async source => {
          await own.delete(source)
          throw new FileSystemError('not-found', source, 'no')
        },
      })
      const settled = await changed(vanishing).settle(at('refused-later/f'), attemptOf(at('refused-later/t')))
      expect(settled.outcome).toBe('taken')
    })

    test('a refused look is not an answer', async () => {
      const blind: Change = () => ({ getFileStatus: path => Promise.reject(new FileSystemError('denied', path, 'no')) })
      const settling = changed(blind).settle(at('blind/f'), attemptOf(at('blind/t')))
      await expectCode(settling, 'unavailable')
    })
  })
}
