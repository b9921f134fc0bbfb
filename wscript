## -*- Mode: python; py-indent-offset: 4; indent-tabs-mode: nil; coding: utf-8; -*-
# SPDX-License-Identifier: GPL-2.0-only
#
# Weft as a module of waf-era ns-3 (tried with 3.35), in contrib/weft. The lists of files are read
# from CMake's, so that there is one of each. ns-3.35's own headers do not pass g++ 12's warnings:
# configure it with --disable-werror.
import os
import re

import wutils


def words(bld, path, name):
    """The words of set(name ...) in the CMake file at path."""
    text = bld.path.find_node(path).read()
    found = re.search(r'^set\(%s\b([^)]*)\)' % re.escape(name), text, re.MULTILINE)
    if not found:
        bld.fatal('%s has no list %s' % (path, name))
    return found.group(1).split()


def configure(conf):
    conf.load('compiler_c')


def build(bld):
    in_c = ['core-c/*/*.c', 'inputs/*.c', 'inputs/text/*.c']
    core = sorted(node.path_from(bld.path) for node in bld.path.ant_glob(in_c))

    module = bld.create_ns3_module('weft', ['core', 'network'])
    module.features += ' c'
    module.source = core
    module.source += words(bld, 'ns3-module/module-sources.cmake', 'weft_module_sources')
    module.includes = ['core-c', 'core-c/include', 'inputs', 'inputs/text']
    module.env.append_value('CFLAGS', ['-std=c11', '-O2', '-fPIC', '-ffp-contract=off'])
    module.env.append_value('CXXFLAGS', ['-std=c++17', '-ffp-contract=off'])

    tests = bld.create_ns3_module_test_library('weft')
    tests.source = words(bld, 'tests/ns3/suite-sources.cmake', 'weft_suite_sources')
    tests.features += ' c'
    tests.env.append_value('CFLAGS', ['-std=c11', '-O2', '-fPIC', '-ffp-contract=off'])
    tests.env.append_value('CXXFLAGS', ['-std=c++17', '-ffp-contract=off'])

    headers = bld(features='ns3header')
    headers.module = 'weft'
    headers.source = words(bld, 'ns3-module/module-sources.cmake', 'weft_module_headers')

    # <weft/...>, which our headers include, beside <ns3/...>: in the build folder, then installed.
    beside = bld.bldnode.make_node('weft').abspath()
    if not os.path.lexists(beside):
        os.symlink(bld.path.find_node('core-c/include/weft').abspath(), beside)
    bld.install_files('${INCLUDEDIR}/%s%s/weft' % (wutils.APPNAME, wutils.VERSION),
                      bld.path.ant_glob('core-c/include/weft/*.h'))

    if bld.env['ENABLE_EXAMPLES']:
        for name in words(bld, 'examples/CMakeLists.txt', 'weft_examples'):
            program = bld.create_ns3_program(name, ['weft'])
            program.source = 'examples/%s.cc' % name
            program.env.append_value('CXXFLAGS', ['-std=c++17', '-ffp-contract=off'])
