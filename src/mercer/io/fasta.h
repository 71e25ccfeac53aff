// Sequences in FASTA and FASTQ files, as strings.
//
// A header is `>id label …` (`@id label …` in FASTQ). The label is the rest of the first word that begins with
// `label=`, or, if there is none, the word after the id. Headers are ignored if options.labelled is false.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/tsv.h"

namespace mercer {

// FASTA: a line with `>` begins a sequence. The lines up to the next header are joined without the blanks at their
// ends. Blank lines and lines that begin with `;` are skipped. A header without lines is an empty sequence.
table read_fasta(const std::string& path, const tsv_options& options = {});
table parse_fasta(std::string_view text, const std::string& name, const tsv_options& options = {});

// FASTQ: a header with `@`, the lines of the sequence, a line that begins with `+`, and lines with one quality per
// letter of the sequence. Only the number of qualities is checked.
table read_fastq(const std::string& path, const tsv_options& options = {});
table parse_fastq(std::string_view text, const std::string& name, const tsv_options& options = {});

const file_format& fasta_format();
const file_format& fastq_format();

}  // namespace mercer
