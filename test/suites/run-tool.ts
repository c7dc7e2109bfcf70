/**
 * Runs one of the long tools beside the tests. `--help` prints how it is used; arguments that are not understood (a
 * RangeError, or what `parseArgs` throws) end it with 2 and the same text, any other failure with 1 and its stack.
 */
export const runTool = async (usage: string, main: () => Promise<void>): Promise<void> => {
  if (process.argv.slice(2).some(word => word === '--help' || word === '-h')) {
    process.stdout.write(usage)
    return
  }
  // Who reads it with `head` has seen enough.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? undefined : 1))
  try {
    await main()
  } catch (error) {
    const isUsage = error instanceof RangeError || (error instanceof TypeError && 'code' in error)
    const text = error instanceof Error ? (isUsage ? error.message : error.stack) : String(error)
    process.stderr.write(`${text}\n${isUsage ? `\n${usage}` : ''}`)
    process.exitCode = isUsage ? 2 : 1
  }
}
