import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { SluiceError } from '../../../../src/errors.ts'
import { type Admission, type Claim, createAdmission } from '../../../../src/http/body/admission.ts'
import { BodyLine, LinePlace } from '../../../../src/http/body/body-line.ts'
import { createHolding, holdingRowBytes } from '../../../../src/http/body/holding.ts'
import { createRandom } from '../../../fuzz/random.ts'

const KiB = 2 ** 10
const MiB = 2 ** 20
const create = (maxInflightBytes = 256 * MiB): Admission =>
  createAdmission(() => ({ maxInflightBytes, maxEventQueueSize: 1_000 }))

/** A body whose bytes arrive until it has to wait; whether it has its turn. */
type Body = { readonly claim: Claim; readonly hasTurn: () => boolean }
const begin = (admission: Admission, client: string, whole: number, sent = 300 * KiB): Body => {
  return send(admission.admit(0, { clientAddress: client }), whole, sent)
}
const send = (claim: Claim, whole: number, sent: number): Body => {
  let waits = false
  for (let left = sent; left > 0 && !waits; left -= 64 * KiB) {
    const room = claim.receive(Math.min(left, 64 * KiB), whole)
    if (room === undefined) continue
    waits = true
    void room.then(() => {
      waits = false
    })
  }
  return { claim, hasTurn: () => !waits }
}
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const turns = async (bodies: readonly Body[]): Promise<boolean[]> => {
  await settled()
  return bodies.map(({ hasTurn }) => hasTurn())
}

describe('admission', () => {
  test('what is announced costs nothing until it comes', () => {
    const admission = create()
    for (let i = 0; i < 1_000; i++) begin(admission, 'a', 64 * MiB, 1)
    expect(admission.inflightBytes).toBe(1_000)
  })

  test('as many bodies as fit whole are read, oldest first; the others wait', async () => {
    const admission = create()
    const bodies = ['a', 'b', 'c', 'd', 'e'].map(client => begin(admission, client, 60 * MiB))
    expect(await turns(bodies)).toEqual([true, true, true, false, false])
    bodies[1]?.claim.release()
    expect(await turns(bodies)).toEqual([true, true, true, true, false])
    bodies[3]?.claim.release()
    expect(await turns(bodies)).toEqual([true, true, true, true, true])
    for (const { claim } of bodies) claim.release()
    expect(admission).toMatchObject({ inflightBytes: 0, requests: 0 })
  })

  test('one client has at most half, and holds up none of the others', async () => {
    const admission = create()
    const bodies = ['a', 'a', 'a', 'a', 'b'].map(client => begin(admission, client, 60 * MiB))
    expect(await turns(bodies)).toEqual([true, true, false, false, true])
    bodies[0]?.claim.release()
    expect(await turns(bodies)).toEqual([true, true, true, false, true])
  })

  test('a client that is alone may have more than half, and no body more than fits for itself', async () => {
    const admission = create()
    const bodies = [begin(admission, 'a', 150 * MiB), begin(admission, 'a', 1 * MiB)]
    expect(await turns(bodies)).toEqual([true, false])
    bodies[0]?.claim.release()
    expect(await turns(bodies)).toEqual([true, true])
    const huge = begin(admission, 'a', 1_000 * MiB)
    bodies[1]?.claim.release()
    expect(await turns([huge])).toEqual([true])
    expect(() => {
      for (let i = 0; i < 1_000; i++) void huge.claim.receive(MiB, 1_000 * MiB)
    }).toThrow(SluiceError)
  })

  test.each(['small ones', 'large ones'])(
    'a quarter stays for small requests, half of it for those that come whole, whatever %s come slowly',
    kind => {
      const admission = create()
      const whole = kind === 'small ones' ? 256 * KiB : 64 * MiB
      const sent = kind === 'small ones' ? 255 * KiB : 300 * KiB
      for (let i = 0; i < 2_000; i++) {
        try {
          begin(admission, `client ${i % 10}`, whole, sent)
        } catch (error) {
          expect(error).toBeInstanceOf(SluiceError)
        }
      }
      const one = 256 * KiB
      for (let bytes = 0; bytes < 31 * MiB; bytes += one) admission.admit(one, { clientAddress: 'client 1' })
      expect(admission.inflightBytes).toBeLessThanOrEqual(256 * MiB)
    },
  )

  test('bodies of one client that are not there yet leave room for those of others', async () => {
    const admission = create()
    expect(() => {
      for (let i = 0; i < 1_000; i++) begin(admission, 'a', 256 * KiB, 255 * KiB)
    }).toThrow(/do not fit/)
    expect(await turns([begin(admission, 'b', 64 * MiB)])).toEqual([true])
  })

  test('a hundred large bodies of one client wait, and are read one after the other', async () => {
    const admission = create()
    const bodies = Array.from({ length: 120 }, () => begin(admission, 'a', 60 * MiB))
    for (const { claim, hasTurn } of bodies) {
      await settled()
      expect(hasTurn()).toBe(true)
      claim.release()
    }
  })

  test('a body that is there holds what it has, and gives room to those that wait', async () => {
    const admission = create()
    const bodies = [1, 2, 3].map(() => begin(admission, 'a', 60 * MiB))
    expect(await turns(bodies)).toEqual([true, true, false])
    bodies[0]?.claim.received()
    expect(await turns(bodies)).toEqual([true, true, true])
    expect(admission.inflightBytes).toBe(120 * MiB + 300 * KiB)
  })

  test('what a large body unfolds to is large as well', () => {
    const admission = create()
    const claim = admission.admit(100 * KiB, { clientAddress: 'a' })
    claim.addBytes(190 * MiB)
    expect(() => claim.addBytes(3 * MiB)).toThrow(/do not fit/)
    expect(admission.admit(60 * KiB, { clientAddress: 'a' })).toBeDefined()
    claim.release()
    expect(admission.inflightBytes).toBe(60 * KiB)
  })

  test('large bodies of one client hold half at most, and those of all three quarters, to the byte', () => {
    const admission = create()
    const admit = (client: string, bytes: number) => admission.admit(bytes, { clientAddress: client })
    admit('a', 100 * MiB)
    const second = admit('a', 28 * MiB)
    expect(() => second.addBytes(1)).toThrow(/do not fit/)
    const other = admit('b', 64 * MiB)
    expect(() => other.addBytes(1)).toThrow(/do not fit/)
    expect(() => admit('c', 257 * KiB)).toThrow(/do not fit/)
    expect(admission.inflightBytes).toBe(192 * MiB)
  })

  test('a body that does not come whole is refused where small requests hold all', () => {
    const admission = create()
    for (let bytes = 0; bytes < 256 * MiB; bytes += 256 * KiB) admission.admit(256 * KiB)
    expect(() => admission.admit(1)).toThrow(/do not fit/)
    const claim = admission.admit(0, { clientAddress: 'a' })
    expect(() => claim.receive(1, 64 * MiB)).toThrow(/do not fit/)
    expect(admission.inflightBytes).toBe(256 * MiB)
  })

  test.each([
    ['one client', 1, 8],
    ['all clients', 4, 4],
  ])(
    'large bodies wait for their turn from the first byte on when those of %s that come slowly hold much',
    (_, clients, each) => {
      const admission = create()
      // Half of what they may hold, and not a byte more.
      for (let client = 0; client < clients; client++) {
        for (let bytes = 0; bytes < each * MiB; bytes += 128 * KiB)
          begin(admission, `client ${client}`, 256 * KiB, 128 * KiB)
      }
      const client = clients === 1 ? 'client 0' : 'another'
      const before = admission.inflightBytes
      begin(admission, 'client 0', 256 * KiB, 1)
      expect(admission.inflightBytes).toBe(before + 1)
      begin(admission, client, 32 * MiB, 64 * KiB)
      // It has its turn at once, and so the room for all of it.
      expect(admission.inflightBytes).toBe(before + 1 + 32 * MiB)
    },
  )

  test('a large body that is not crowded out costs what has arrived', () => {
    const admission = create()
    begin(admission, 'a', 32 * MiB, 256 * KiB)
    expect(admission.inflightBytes).toBe(256 * KiB)
    begin(admission, 'b', 32 * MiB, 256 * KiB + 1)
    expect(admission.inflightBytes).toBe(256 * KiB + 32 * MiB)
  })

  test('a body waits while small requests hold the room for it, and later ones of its client behind it', async () => {
    const admission = create()
    const small = Array.from({ length: 800 }, () => admission.admit(256 * KiB))
    const bodies = [begin(admission, 'a', 60 * MiB), begin(admission, 'a', 1 * MiB)]
    expect(await turns(bodies)).toEqual([false, false])
    for (const claim of small) claim.release()
    expect(await turns(bodies)).toEqual([true, true])
    const more = [60, 60, 1].map(size => begin(admission, 'a', size * MiB))
    expect(await turns(more)).toEqual([true, false, false])
  })

  test('nothing is kept of clients that hold nothing', () => {
    const held = createHolding()
    const line = new BodyLine(() => 256 * MiB, held)
    const places = [1, 2, 3].map(n => new LinePlace(line, `client ${n}`))
    for (const place of places) place.add(MiB)
    expect([line.clients, held.all.inflightBytes]).toEqual([3, 3 * MiB])
    for (const place of places) place.close()
    expect([line.clients, held.all.inflightBytes]).toEqual([0, 0])
  })

  test('one that waits and is released leaves the line', async () => {
    const admission = create()
    const bodies = [1, 2, 3, 4].map(() => begin(admission, 'a', 60 * MiB))
    bodies[2]?.claim.release()
    bodies[2]?.claim.release()
    expect(await turns(bodies)).toEqual([true, true, true, false])
    bodies[0]?.claim.release()
    expect(await turns(bodies)).toEqual([true, true, true, true])
  })

  test('whatever happens, all are read in the end, nothing is held too long, and the bytes add up', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = createRandom(seed)
      const max = 4 * MiB * (1 + random.below(8))
      const admission = create(max)
      const open: Body[] = []
      let turnsGiven = 0
      for (let step = 0; step < 200 || open.length > 0; step++) {
        if (step < 200 && random.below(2) === 0) {
          const whole = 1 + random.below(max / 2)
          const claim = admission.admit(0, { clientAddress: `client ${random.below(3)}` })
          try {
            open.push(send(claim, whole, Math.min(whole, 1 + random.below(300 * KiB))))
          } catch (error) {
            claim.release()
            if (!(error instanceof SluiceError)) throw error
          }
        } else {
          await settled()
          // Those without a turn do not end by themselves.
          const at = open.findIndex(({ hasTurn }) => hasTurn())
          const one = open[at]
          if (one === undefined) expect(open).toEqual([])
          else {
            open.splice(at, 1)
            turnsGiven++
            one.claim.received()
            one.claim.release()
          }
        }
        expect(admission.inflightBytes).toBeLessThanOrEqual(max)
      }
      expect(turnsGiven).toBeGreaterThan(0)
      expect(admission).toMatchObject({ inflightBytes: 0, requests: 0 })
    }
  })
})

describe('admission of several threads', () => {
  const createTwo = (maxInflightBytes: number) => {
    const memory = new SharedArrayBuffer(2 * holdingRowBytes)
    const limits = () => ({ maxInflightBytes, maxEventQueueSize: 10 })
    return [0, 1].map(row => createAdmission(limits, createHolding(memory, row))) as [Admission, Admission]
  }

  test('limits are those of all together', () => {
    const [here, there] = createTwo(1_000)
    const claim = here.admit(700)
    claim.addEvents(8)
    expect(() => there.admit(301)).toThrow('Requests hold 700 bytes, 301 more do not fit')
    const other = there.admit(300)
    expect(() => other.addEvents(3)).toThrow('8 events wait, 3 more do not fit')
    expect([here.requests, there.inflightBytes, there.queuedEvents]).toEqual([2, 1_000, 8])
    claim.release()
    other.addEvents(3)
    other.release()
    expect([here.requests, here.inflightBytes, here.queuedEvents]).toEqual([0, 0, 0])
  })

  test('a body that waits for what another thread holds has its turn soon after that is given back', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const [here, there] = createTwo(4 * MiB)
    const first = begin(there, 'a', 2.9 * MiB, 2.9 * MiB)
    const crowd = begin(here, 'b', 2.9 * MiB, 2.9 * MiB)
    expect([first.hasTurn(), crowd.hasTurn()]).toEqual([true, false])
    first.claim.release()
    expect(crowd.hasTurn()).toBe(false)
    await vi.advanceTimersByTimeAsync(20)
    expect(crowd.hasTurn()).toBe(true)
    // A test before this one may have left a timer, which ends; looks would not.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(vi.getTimerCount()).toBe(0)
    crowd.claim.release()
    expect(here.inflightBytes).toBe(0)
  })
})
