/** A page of the manual: what `sluice --help` says, in the form that `man` reads. */

/** Which machine made it is left out. @param date seconds since the epoch */
export const toManual = (help: string, version: string, date: number): string => {
  const day = new Date(date * 1000).toISOString().slice(0, 10)
  return `.TH SLUICE 1 ${day} "Sluice ${version}" "User Commands"
.SH NAME
sluice \\- event collector and file gateway around HDFS
.SH SYNOPSIS
.B sluice
.I COMMAND
.SH DESCRIPTION
.B sluice serve
runs the server; the other commands steer one, show what it does, and work on its files.
.PP
.nf
${help
  .replace(/^VERSION\n.*\n\n/m, '')
  .trimEnd()
  .split('\n')
  .map(toLine)
  .join('\n')}
.fi
.SH FILES
.TP
.I /etc/sluice/sluice.yaml
settings of the service
.TP
.I /var/lib/sluice
events that wait for the file system; without HDFS all files
`
}

/** Nothing in it is a request or an escape. */
const toLine = (line: string): string =>
  line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
