// Sequences in FASTA and FASTQ files, as strings.
//
// A header is `>id label …` (`@id label …` in FASTQ): the label is the word that begins with `label=`, without that,
// wherever it stands, else the word after the id. Where labels are not asked for, headers are not looked at.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/tsv.h"

namespace mercer {

// `>` begins a sequence; the lines up to the next one are joined, without blanks at their ends. Blank lines and lines
// that begin with `;` are skipped. A header without lines is an empty sequence.
table read_fasta(const std::string& path, const tsv_options& options = {});
table parse_fasta(std::string_view text, const std::string& name, const tsv_options& options = {});

// `@` header, lines of the sequence, a line that begins with `+`, lines of qualities, as many as there are letters.
// The qualities are checked for their number only.
table read_fastq(const std::string& path, const tsv_options& options = {});
table parse_fastq(std::string_view text, const std::string& name, const tsv_options& options = {});

const file_format& fasta_format();
const file_format& fastq_format();

}  // namespace mercer
