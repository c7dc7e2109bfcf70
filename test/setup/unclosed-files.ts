/** A file handle that the garbage collector closes: Node only warns today and will throw later. The tests throw already. */
const failOnUnclosedFile = (warning: Error): void => {
  if (/file descriptor .*on garbage collection/.test(warning.message)) throw warning
}

// Files share their workers, and each of them loads this.
if (!process.listeners('warning').some(({ name }) => name === failOnUnclosedFile.name)) {
  process.on('warning', failOnUnclosedFile)
}
