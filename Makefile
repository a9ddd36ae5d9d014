# Everything one does with this repository. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

# Compiler processes at once.
JOBS ?= 2
# Benchmarks, and tests that use real data, read the folder that the environment variable GPSIEVE_DATA
# names, and are skipped without it.

# What a build may have of its own: its folder, lines for R's Makevars, flags of R CMD INSTALL.
# tools/lane.sh makes sanitized and other unusual builds with them.
BUILD ?= build
MAKEVARS ?=
INSTALL_FLAGS ?=
export MAKEVARS

STAGE := $(BUILD)/stage/gpsieve
TARBALL := build/gpsieve_$(shell sed -n 's/^Version: *//p' DESCRIPTION).tar.gz
# --as-cran wants the manual as PDF; without LaTeX that part is left out.
CHECK_FLAGS ?= --as-cran $(if $(shell command -v pdflatex),,--no-manual)

## demo: set up the machine, install the package, show what it does
demo: setup install
	Rscript tools/demo.R

## test: set up, install, check the layering, run the C++ and the R tests; ends in a count
# After a failure make has a last line of its own, and the count follows it.
test: setup-test install
	@JOBS=$(JOBS) tools/run-tests.sh || {
	  if [ -z "$${IN_CI_RUN:-}" ]; then
	    (while kill -0 $$PPID 2>/dev/null; do sleep 0.1; done; cat build/summary) &
	  fi
	  exit 1
	}

## test-ecosystem: install tidymodels, caret, mlr3 and others into build/ecosystem, test with them
test-ecosystem: setup-test install
	@tools/test-ecosystem.sh

## test-cluster: install mirai, Open MPI, Slurm and PostgreSQL, run the tests of clusters and servers
test-cluster: setup-cluster install
	@GPSIEVE_EXTENDED=true tools/test-some.sh '^(cluster|memory|scale)'

## vignettes: build the vignettes into the installed package, so that vignette("ivm") opens
vignettes: setup-test install
	@tools/vignettes.sh

## site: build the site of help pages, vignettes and news into build/site
site: setup-site install
	@tools/site.sh

## install: install into the first writable R library, unless the same sources are there already
install:
	@mkdir -p $(STAGE)
	# The tree is copied file by file where the content differs, so that make, inside R, compiles
	# again only what changed, and no object file appears under src/.
	sources() {
	  find R src inst man data DESCRIPTION NAMESPACE LICENSE -type f \
	    ! -name '*.o' ! -name '*.d' ! -name '*.so' ! -name '*.dll' 2>/dev/null | sort || true
	}
	library=$$(Rscript -e 'p <- .libPaths(); w <- p[file.access(p, 2) == 0]
	  cat(if (length(w)) w[1] else path.expand(Sys.getenv("R_LIBS_USER")))')
	mkdir -p "$$library"
	built=$$library/gpsieve/Meta/package.rds # holds the time of the build: tells ours from another's
	fingerprint=$$({ echo "$$library $$MAKEVARS"; R --version | head -n 1; sources | xargs sha256sum; } | sha256sum)
	stamp() { echo "$$fingerprint"; sha256sum "$$built" 2>/dev/null || true; }
	if [ -f "$$built" ] && [ "$$(stamp)" = "$$(cat $(BUILD)/installed 2>/dev/null)" ]; then exit 0; fi
	# Objects know the files they include but not their flags, which stand above the OBJECTS list.
	flags() { sed '/^OBJECTS/q' "$$1/Makevars" 2>/dev/null || true; }
	if [ "$$(flags src)" != "$$(flags $(STAGE)/src)" ]; then find $(STAGE) -name '*.o' -delete; fi
	sources | while IFS= read -r file; do
	  mkdir -p "$(STAGE)/$$(dirname "$$file")"
	  cmp -s "$$file" "$(STAGE)/$$file" || cp "$$file" "$(STAGE)/$$file"
	done
	# Files that left the tree leave the copy.
	(cd $(STAGE) && find . -type f ! -name '*.o' ! -name '*.d' ! -name '*.so' | sed 's|^\./||' | sort) |
	  comm -23 - <(sources) | sed 's|^|$(STAGE)/|' | xargs -r rm -f
	# The default flags of R, plus a record of which object includes which header, minus debug
	# information, which takes half of the compiler's time. The records come with the objects: R's
	# rule that makes them alone is switched off.
	printf '%s\n' '-include $$(HOME)/.R/Makevars' 'CXX17FLAGS += -g0 -MMD -MP' \
	  '$$(OBJECTS:.o=.d): ;' '-include $$(OBJECTS:.o=.d)' "$$MAKEVARS" >$(BUILD)/Makevars
	# A table of the objects' symbols comes along, in which R CMD check looks for calls of abort(),
	# printf() and others that a package must not make.
	echo "Installing gpsieve into $$library"
	if ! _R_SHLIB_BUILD_OBJECTS_SYMBOL_TABLES_=TRUE R_MAKEVARS_USER=$(abspath $(BUILD))/Makevars MAKEFLAGS=-j$(JOBS) \
	  R CMD INSTALL $(INSTALL_FLAGS) --library="$$library" $(STAGE) 2>&1 |
	  tee $(BUILD)/install.log | tools/progress.sh --compiled; then
	  grep -E -A3 '( error:|^ERROR|^Error|^make.*Error)' $(BUILD)/install.log || tail -n 50 $(BUILD)/install.log
	  echo "The whole output is in $(BUILD)/install.log"
	  exit 1
	fi
	stamp >$(BUILD)/installed

## core-test: build and run the tests of the C++ core, without R
core-test:
	$(MAKE) -C tests/core -j$(JOBS) run

## sanitize: the same under the address and undefined-behaviour sanitizers
sanitize:
	$(MAKE) -C tests/core -j$(JOBS) sanitize

## valgrind: the tests of the linear algebra, the innermost loops and the kernels under valgrind
valgrind:
	$(MAKE) -C tests/core -j$(JOBS) valgrind

## core-arm64: the tests of the C++ core cross compiled for arm64, under qemu-aarch64; TESTS chooses
## core-windows: the same for Windows, under wine
core-arm64 core-windows:
	$(MAKE) -C tests/core -j$(JOBS) $(subst core-,,$@) TESTS="$(TESTS)"

## fuzz: predictions from damaged posteriors under the sanitizers; SECONDS=60 (clang)
fuzz:
	$(MAKE) -C tests/core -j$(JOBS) fuzz SECONDS=$(or $(SECONDS),60)

# What they are stands at the top of tools/lane.sh, from where `make help` lists them.
lane-%:
	@JOBS=$(JOBS) tools/lane.sh $*

## coverage: lines of R and C++ that the tests reach, in build/coverage
coverage: setup-coverage
	@JOBS=$(JOBS) tools/coverage.sh

## lint: the style of R (lintr), C++ (clang-format) and shell scripts (shellcheck)
lint: setup-lint
	@tools/lint.sh

## hooks: let git check style and rules before each commit in this clone
hooks:
	git config core.hooksPath tools/hooks

## check: R CMD check --as-cran on the built tarball; errors and warnings fail
check: setup-check
	mkdir -p build
	cd build && R CMD build ..
	cd $(CURDIR)
	# The check of the system's clock asks a server on the internet.
	_R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=false R CMD check $(CHECK_FLAGS) --output=build $(TARBALL)
	! grep -qE '^Status:.*(ERROR|WARNING)' build/gpsieve.Rcheck/00check.log

## release-check: placeholders and versions that stand in the way of a release; see RELEASING.md
release-check:
	tools/release-check.sh

## document: regenerate RcppExports, NAMESPACE, man/, src/units and src/Makevars
document: setup-document
	# Sourced, not compiled: roxygen2 needs the R functions only, and src/ stays free of objects.
	# Before compileAttributes(), which reads NAMESPACE.
	Rscript -e 'suppressPackageStartupMessages(roxygen2::roxygenise(load_code = "source"))'
	Rscript -e 'Rcpp::compileAttributes()'
	tools/sources.sh

## papers: compute every number of the vignettes anew (several hours; data-raw/all.R)
papers: setup-test install
	Rscript data-raw/all.R

## check-results: compute the first unit of each results file of the vignettes again and compare
check-results: setup-test install
	@tools/check-results.sh

## golden: compute the reference values of inst/golden again and compare; data-raw/golden/all.R
golden: setup-test
	Rscript data-raw/golden/all.R

## bench: time the package against its peers
bench: setup-test install
	Rscript bench/run.R

## bench-table: write the tables of bench/RESULTS.md and bench/results from the stored results
bench-table:
	Rscript bench/readme.R

## clean: remove everything that was built (not the installed package)
clean:
	rm -rf build tests/core/build tests/core/build-*
	find src -name '*.o' -o -name '*.so' | xargs -r rm -f

setup:
	@tools/setup.sh
setup-test:
	@tools/setup.sh --test
setup-check:
	@tools/setup.sh --check
setup-document:
	@tools/setup.sh --document
setup-lint:
	@tools/setup.sh --lint
setup-site:
	@tools/setup.sh --site
setup-coverage:
	@tools/setup.sh --coverage
setup-cluster:
	@tools/setup.sh --cluster

## help: this list
help:
	@{
	  sed -n 's/^## \([A-Za-z0-9-]*\): \(.*\)/  make \1\t\2/p' Makefile
	  sed -n 's|^#   tools/lane.sh \([a-z0-9-]*\) *\(.*\)|  make lane-\1\t\2|p' tools/lane.sh
	} | expand -t 26

.PHONY: demo test test-ecosystem test-cluster vignettes site install core-test core-arm64 core-windows \
  sanitize valgrind fuzz coverage lint hooks check release-check golden document bench bench-table papers check-results clean help setup \
  setup-test setup-check setup-document setup-lint setup-site setup-coverage setup-cluster
.NOTPARALLEL:
