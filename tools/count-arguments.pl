# Functions and constructors of C++ that are declared with more arguments than a number, as
# file:line: what. A declaration is told from a call by its arguments, most of which are a type and a
# name, and by what follows the parentheses.
#
#   perl tools/count-arguments.pl <most> <file>...
use strict;
use warnings;

my $most = shift @ARGV;

# Comments, strings and directives as blanks, lines kept.
sub without_text {
  my ($text) = @_;
  $text =~ s{("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/}
            {my $kept = defined $1 ? '""' : $&; $kept =~ tr/\n//cd unless defined $1; $kept}gse;
  $text =~ s{^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*}{my $kept = $&; $kept =~ tr/\n//cd; $kept}gme;
  return $text;
}

# The arguments between parentheses, apart from commas of templates and inner brackets.
sub arguments {
  my ($inside) = @_;
  my ($depth, @parts) = (0, "");
  for my $token ($inside =~ /->|[<>(){}\[\],]|[^<>(){}\[\],-]+|-/g) {
    $depth++ if $token =~ /^[<({\[]$/;
    $depth-- if $token =~ /^[>)}\]]$/;
    if ($token eq "," && $depth == 0) { push @parts, ""; } else { $parts[-1] .= $token; }
  }
  return @parts;
}

for my $file (@ARGV) {
  open my $in, "<", $file or die "$file: $!";
  my $text = without_text(do { local $/; <$in> });
  while ($text =~ /\b([A-Za-z_]\w*)\s*\)?\s*(\((?:[^()]++|(?2))*\))\s*(const\b|noexcept\b|override\b|->|[{;:=,)])/g) {
    my ($name, $list, $at) = ($1, $2, $-[1]);
    pos($text) = $-[2] + 1;  # lists within lists
    my @all = arguments(substr($list, 1, -1));
    next if @all <= $most;
    my $named = grep { /^\s*(?:[\w:]|<.*>|\s)+[\s&*]+\w+\s*(?:=.*)?$/s } @all;
    my $bare = grep { /^\s*[\w:]+(?:<.*>)?\s*[&*]*\s*$/s } @all;
    next unless $named + $bare == @all && $named > $bare;
    my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
    printf "%s:%d:%s() has %d arguments; at most %d\n", $file, $line, $name, scalar @all, $most;
  }
}
