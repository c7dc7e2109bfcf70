import { SluiceError } from '../../errors.ts'
import type { ThriftReader } from '../../formats/thrift/reader.ts'
import { decodeThriftText, encodeThriftText } from '../../formats/thrift/text.ts'
import { thriftType } from '../../formats/thrift/types.ts'
import type { ThriftWriter } from '../../formats/thrift/writer.ts'

/** Writes a result, the field 0 of a reply, or nothing. */
export type WriteResult = (writer: ThriftWriter) => void

/** A call of fb303 by its method: takes the arguments and gives the result. */
export type Fb303 = {
  /**
   * Undefined for a method that fb303 has not.
   * @throws FormatError `thrift` for arguments that cannot be read, SluiceError for a call that fails
   */
  call(method: string, args: ThriftReader): WriteResult | undefined
}

/** Methods that never answer, whatever their header says: old clients sent them as calls and read no reply. */
export const oneWayMethods: ReadonlySet<string> = new Set(['reinitialize', 'shutdown'])

/** Options that clients can set; only clients read them. */
const maxOptions = 100
/** Bytes of an option's name, and of its value. */
const maxOptionBytes = 1_024

/** `fb_status` of a service that works. */
const alive = 2

/**
 * The calls that a service of this kind answers for monitoring, in the predecessor's words.
 * @param counters figures by name since the start; those that are 0 are not listed
 * @param startedAt ms since the epoch; `aliveSince` gives it in seconds, as fb303 has it
 */
export const createFb303 = (counters: () => Readonly<Record<string, number>>, startedAt: number): Fb303 => {
  const options = new Map<string, string>()
  /** What `reinitialize` counts from. */
  let base: Readonly<Record<string, number>> = {}
  const countersNow = (): readonly (readonly [string, number])[] =>
    Object.entries(counters())
      .map(([name, count]) => [name, count - (base[name] ?? 0)] as const)
      .filter(([, count]) => count !== 0)
  const calls: Readonly<Record<string, (args: ThriftReader) => WriteResult>> = {
    getName: () => textResult('Ning Scribed Service'),
    getVersion: () => textResult('0.1'),
    getStatus: () => writer => {
      writer.fieldHeader(thriftType.i32, 0)
      writer.i32(alive)
    },
    getStatusDetails: () => textResult('No special status maintained. Returns Alive if the process is active'),
    getCounters: () => mapResult(thriftType.i64, countersNow(), (writer, count) => writer.i64(BigInt(count))),
    getCounter: args => {
      const [wanted = ''] = readTexts(args)
      const found = countersNow().find(([name]) => name === wanted)
      if (found === undefined) throw new SluiceError('not-found', `There is no counter ${JSON.stringify(wanted)}`)
      return longResult(found[1])
    },
    getOptions: () => mapResult(thriftType.string, [...options], writeText),
    // An option that was not set is empty: clients do not accept an answer without a result.
    getOption: args => textResult(options.get(readTexts(args)[0] ?? '') ?? ''),
    setOption: args => {
      const [name = '', value = ''] = readTexts(args)
      if (options.size >= maxOptions && !options.has(name)) {
        throw new SluiceError('too-large', `At most ${maxOptions} options can be set`)
      }
      options.set(name, value)
      return noResult
    },
    getCpuProfile: () => noResult,
    aliveSince: () => longResult(Math.floor(startedAt / 1_000)),
    reinitialize: () => {
      options.clear()
      base = counters()
      return noResult
    },
    shutdown: () => noResult,
  }
  return { call: (method, args) => (Object.hasOwn(calls, method) ? calls[method]?.(args) : undefined) }
}

/** The string arguments 1 and 2; other fields are skipped. */
const readTexts = (args: ThriftReader): readonly (string | undefined)[] => {
  const texts: (string | undefined)[] = [undefined, undefined]
  for (let type = args.fieldType(); type !== thriftType.stop; type = args.fieldType()) {
    const id = args.i16()
    if (type !== thriftType.string || id < 1 || id > 2) args.skip(type)
    else {
      const bytes = args.binary()
      if (bytes.length > maxOptionBytes) {
        throw new SluiceError('too-large', `Argument ${id} has ${bytes.length} bytes; at most ${maxOptionBytes} fit`)
      }
      texts[id - 1] = decodeThriftText(bytes)
    }
  }
  return texts
}

const noResult: WriteResult = () => {}

const writeText = (writer: ThriftWriter, text: string): void => writer.binary(encodeThriftText(text))

const textResult =
  (text: string): WriteResult =>
  writer => {
    writer.fieldHeader(thriftType.string, 0)
    writeText(writer, text)
  }

const longResult =
  (value: number): WriteResult =>
  writer => {
    writer.fieldHeader(thriftType.i64, 0)
    writer.i64(BigInt(value))
  }

const mapResult =
  <T>(
    type: number,
    entries: readonly (readonly [string, T])[],
    write: (writer: ThriftWriter, value: T) => void,
  ): WriteResult =>
  writer => {
    writer.fieldHeader(thriftType.map, 0)
    writer.byte(thriftType.string)
    writer.byte(type)
    writer.i32(entries.length)
    for (const [name, value] of entries) {
      writeText(writer, name)
      write(writer, value)
    }
  }
