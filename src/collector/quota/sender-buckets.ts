/**
 * Two token buckets for each sender, of events and of bytes, in memory that all threads share: a hash table of fixed
 * size.
 *
 * Of a bucket it holds the time at which it will be full again, which tells how much is used up. A full bucket is like
 * that of a new sender, so its place is free: only recent senders take one. When all places that a sender may use are
 * taken, the sender whose bucket would be full soonest is forgotten, and counted: its quota starts over, and no sender
 * is refused for the events of others.
 *
 *     0  seed of the hash, so that a sender cannot choose whose places to share; u32
 *     4  senders that were forgotten, u32
 *    64  places: key (0: never used), events full at, bytes full at; i64 each, times in ns of the system's monotonic clock
 *
 * Threads write at the same time, by compare and exchange. A charge that races with a change of the place's owner may
 * count for the wrong one of both: an error of one request.
 */

/** Until the buckets of a sender are full again, in ns. */
export type Owed = { readonly events: number; readonly bytes: number }

/** What is charged. */
export type Charge = {
  /** Time that both buckets take to get back what is used up; less than nothing is given back. */
  readonly cost: Owed
  /** So much a sender owes at most, in ns, whatever it is charged. */
  readonly most: number
}

/** The buckets of all senders. */
export type SenderBuckets = {
  /** @param now in ns of the system's monotonic clock, as all threads have it */
  owedBy(sender: string, now: bigint): Owed
  /** @returns by how much more it owes now: what may be given back */
  charge(sender: string, now: bigint, charge: Charge): Owed
  /** Senders that still owed something when others took their places, since the start. */
  readonly forgotten: number
}

const headBytes = 64
const placeNumbers = 3
const placeBytes = placeNumbers * BigInt64Array.BYTES_PER_ELEMENT

/** Places that a sender may have. */
const ways = 8

/** The most senders with a debt at one time, in 6 MiB; the system gives memory as it is used. */
export const maxSenders = 2 ** 18

/** Memory without a sender. @param senders a multiple of 8 */
export const createQuotaMemory = (senders = maxSenders): SharedArrayBuffer => {
  const memory = new SharedArrayBuffer(headBytes + senders * placeBytes)
  const seeds = crypto.getRandomValues(new Uint32Array(1))
  new Uint32Array(memory, 0, 1).set(seeds)
  return memory
}

export const createSenderBuckets = (memory: SharedArrayBuffer): SenderBuckets => {
  const [seed = 0] = new Uint32Array(memory, 0, 1)
  const forgotten = new Uint32Array(memory, 4, 1)
  const numbers = new BigInt64Array(memory, headBytes)
  const sets = numbers.length / placeNumbers / ways

  const find = (key: bigint, first: number): number | undefined => {
    for (let way = 0, at = first; way < ways; way++, at += placeNumbers) {
      if (Atomics.load(numbers, at) === key) return at
    }
    return undefined
  }
  const fullAt = (place: number): bigint => {
    const events = Atomics.load(numbers, place + 1)
    const bytes = Atomics.load(numbers, place + 2)
    return events > bytes ? events : bytes
  }
  /** Gives the place of the one that is full soonest to another one; undefined where another thread was first. */
  const take = (key: bigint, first: number, now: bigint): number | undefined => {
    let place = first
    let soonest = fullAt(first)
    for (let way = 1, at = first + placeNumbers; way < ways; way++, at += placeNumbers) {
      const other = fullAt(at)
      if (other >= soonest) continue
      soonest = other
      place = at
    }
    const before = Atomics.load(numbers, place)
    if (Atomics.compareExchange(numbers, place, before, key) !== before) return undefined
    // Only the winner: what another thread's sender owes is not this one's to forget.
    if (soonest > now) {
      Atomics.add(forgotten, 0, 1)
      Atomics.store(numbers, place + 1, 0n)
      Atomics.store(numbers, place + 2, 0n)
    }
    return place
  }
  const spend = (at: number, now: bigint, costNs: number, most: number): number => {
    if (costNs === 0) return 0
    const cost = BigInt(Math.ceil(costNs))
    const latest = now + BigInt(most)
    for (;;) {
      const stored = Atomics.load(numbers, at)
      const before = stored > now ? stored : now
      const owed = before + cost
      const after = owed < latest ? owed : latest
      if (Atomics.compareExchange(numbers, at, stored, after) === stored) return Number(after - before)
    }
  }
  return {
    owedBy(sender, now) {
      const { key, hash } = toKey(sender, seed)
      const place = find(key, (hash % sets) * ways * placeNumbers)
      if (place === undefined) return nothing
      const owed = (at: number): number => Math.max(0, Number(Atomics.load(numbers, at) - now))
      return { events: owed(place + 1), bytes: owed(place + 2) }
    },
    charge(sender, now, { cost: { events, bytes }, most }) {
      const { key, hash } = toKey(sender, seed)
      const first = (hash % sets) * ways * placeNumbers
      let place = find(key, first)
      // A forgotten sender has no debt that could be given back.
      if (place === undefined && events <= 0 && bytes <= 0) return nothing
      while (place === undefined) place = take(key, first, now) ?? find(key, first)
      return { events: spend(place + 1, now, events, most), bytes: spend(place + 2, now, bytes, most) }
    },
    get forgotten() {
      return Atomics.load(forgotten, 0)
    },
  }
}

const nothing: Owed = { events: 0, bytes: 0 }

/** 64 bits of a text, never 0, and 32 of them as a number. */
const toKey = (text: string, seed: number): { readonly key: bigint; readonly hash: number } => {
  let low = seed ^ 0x9e3779b9
  let high = seed ^ 0x85ebca6b
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
    high ^= low >>> 15
  }
  low = mix(low ^ (high >>> 13))
  high = mix(high ^ low)
  const hash = high >>> 0
  return { key: BigInt.asIntN(64, (BigInt(hash) << 32n) | BigInt((low | 1) >>> 0)), hash }
}

/** Each bit of the input changes about half of the output's (the end of MurmurHash3). */
const mix = (word: number): number => {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
