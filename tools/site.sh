#!/usr/bin/env bash
# Builds the pkgdown site of the installed package into build/site.
#
#   tools/site.sh              the whole site, with examples and vignettes
#   tools/site.sh --pages      home, help pages without their examples, and news; fails if a help
#                              page is missing from the index or a link leads to no page
#   tools/site.sh --self-test  what --pages looks for is found
#
# It needs no network. Names of packages in examples are links to their pages where the package is
# installed, in the library that tools/test-ecosystem.sh filled too; of others no page is looked up.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
library=${ECOSYSTEM_LIBRARY:-$PWD/build/ecosystem}
export R_LIBS="${R_LIBS:+$R_LIBS:}$library"

# shellcheck disable=SC2016 # the dollar signs are R's
common='
  options(pkgdown.internet = FALSE)
  # downlit, which makes the links, asks CRAN for the pages of packages that are not installed, and
  # stops where there is no network.
  no_pages <- function() data.frame(Package = character(), URL = character())
  utils::assignInNamespace("CRAN_urls", no_pages, "downlit")
  folder <- list(destination = "build/site")
  # Links of the pages to files that are not there; vignettes are no part of every site.
  dead_links <- function(pages) {
    unlist(lapply(pages, function(page) {
      to <- xml2::xml_attr(xml2::xml_find_all(xml2::read_html(page), "//a[@href]"), "href")
      to <- sub("[#?].*", "", to[!grepl("^([a-z]+:|//|#)", to)])
      to <- unique(to[nzchar(to) & !grepl("articles/", to)])
      dead <- to[!file.exists(file.path(dirname(page), utils::URLdecode(to)))]
      if (length(dead)) paste0(page, ": ", dead)
    }))
  }
'

case "${1:-}" in
  "")
    Rscript -e "$common" -e '
      pkgdown::check_pkgdown(".")
      pkgdown::build_site(".", override = folder, preview = FALSE, new_process = FALSE,
        install = FALSE)'
    ;;
  --pages)
    Rscript -e "$common" -e '
      pkgdown::check_pkgdown(".")
      site <- pkgdown::as_pkgdown(".", override = folder)
      pkgdown::init_site(site)
      pkgdown::build_home(site, preview = FALSE)
      pkgdown::build_reference(site, preview = FALSE, examples = FALSE, lazy = FALSE)
      pkgdown::build_news(site, preview = FALSE)
      pages <- list.files("build/site", "[.]html$", recursive = TRUE, full.names = TRUE)
      dead <- dead_links(pages)
      if (length(dead)) stop("links to no page:\n", paste(dead, collapse = "\n"))
      cat(length(pages), "pages, no dead link\n")'
    ;;
  --self-test)
    # shellcheck source=tools/tree.sh
    . tools/tree.sh
    copy_tree
    sed -i '/^  - choice$/d' "$copy/_pkgdown.yml"
    printf '<a href="no-such-page.html">x</a><a href="other.html#top">y</a>' >"$copy/page.html"
    touch "$copy/other.html"
    cd "$copy"
    found=$(Rscript -e "$common" -e '
      cat(conditionMessage(tryCatch(pkgdown::check_pkgdown("."), error = identity)),
        dead_links("page.html"), sep = "\n")' 2>&1)
    all_reported "$found" choice no-such-page.html
    none_reported "$found" other.html
    echo "site: every kind of fault found"
    ;;
  *)
    echo "usage: $0 [--pages | --self-test]" >&2
    exit 2
    ;;
esac
