/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3-names.h"

#include "ns3/attribute.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

extern "C"
{
#include "diagnostics.h"
#include "textbuf.h"
}

using namespace ns3;

namespace
{

/** ns-3 ends the process over some malformed values, such as times: that must not be this one. */
bool
TakesInChild(const AttributeChecker& checker, const std::string& value)
{
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        _exit(checker.CreateValidValue(StringValue(value)) ? 0 : 1);
    }
    int status = 0;
    // Without a process to ask in, the run itself will find out.
    return child < 0 || (waitpid(child, &status, 0) == child && status == 0);
}

/** Every run of a sweep asks the same. */
bool
Takes(const std::string& name, const AttributeChecker& checker, const std::string& value)
{
    static std::map<std::pair<std::string, std::string>, bool> known;
    const auto [it, isNew] = known.try_emplace({name, value}, false);
    if (isNew)
    {
        it->second = TakesInChild(checker, value);
    }
    return it->second;
}

char*
BadValue(const char* name, const char* value, const AttributeChecker& checker)
{
    const std::string type = checker.GetValueTypeName();
    const std::string more = checker.HasUnderlyingTypeInformation()
                               ? " of " + checker.GetUnderlyingTypeInformation()
                               : "";
    return xformat("%s does not take '%s'; expected the text of a %s%s",
                   name,
                   value,
                   type.c_str(),
                   more.c_str());
}

/** @return "; did you mean ...?" or nothing */
std::string
DidYouMean(const std::string& name, const std::vector<std::string>& known)
{
    nearest near = nearest_start(name.c_str());
    for (const auto& k : known)
    {
        nearest_try(&near, k.c_str());
    }
    return did_you_mean(near.best);
}

std::string
Join(const std::vector<std::string>& names)
{
    std::string all;
    for (const auto& n : names)
    {
        all += (all.empty() ? "" : ", ") + n;
    }
    return all;
}

char*
NoClass(const std::string& name)
{
    std::vector<std::string> known;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        known.push_back(TypeId::GetRegistered(i).GetName());
    }
    return xformat("ns-3 has no class '%s'; expected ns3::Class::Attribute%s",
                   name.c_str(),
                   DidYouMean(name, known).c_str());
}

char*
NoAttribute(TypeId type, const std::string& name)
{
    std::vector<std::string> known;
    for (std::size_t i = 0; i < type.GetAttributeN(); i++)
    {
        known.push_back(type.GetAttribute(i).name);
    }
    return xformat("%s has no attribute '%s' of its own; expected %s%s",
                   type.GetName().c_str(),
                   name.c_str(),
                   known.empty() ? "another class" : Join(known).c_str(),
                   DidYouMean(name, known).c_str());
}

char*
NoGlobal(const std::string& name)
{
    std::vector<std::string> known;
    for (auto i = GlobalValue::Begin(); i != GlobalValue::End(); ++i)
    {
        known.push_back((*i)->GetName());
    }
    return xformat("ns-3 has no global value '%s'; expected %s%s",
                   name.c_str(),
                   Join(known).c_str(),
                   DidYouMean(name, known).c_str());
}

/** ns-3 makes an object of these types when a run begins, and ends the process if it cannot. */
char*
BadType(const char* name, const char* value)
{
    const char* base = std::strcmp(name, "SchedulerType") == 0               ? "ns3::Scheduler"
                     : std::strcmp(name, "SimulatorImplementationType") == 0 ? "ns3::SimulatorImpl"
                                                                             : nullptr;
    if (!base)
    {
        return nullptr;
    }
    TypeId type;
    const TypeId parent = TypeId::LookupByName(base);
    const std::string simulator = "ns3::SimulatorImpl";
    if (base == simulator && std::string(value) != "ns3::DefaultSimulatorImpl")
    {
        return xformat("'%s' cannot run a scenario: expected ns3::DefaultSimulatorImpl; others "
                       "wait for the time of the day, or need several processes",
                       value);
    }
    if (TypeId::LookupByNameFailSafe(value, &type) && type.IsChildOf(parent) &&
        type.HasConstructor())
    {
        return nullptr;
    }
    std::vector<std::string> known;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId t = TypeId::GetRegistered(i);
        if (t.IsChildOf(parent) && t.HasConstructor())
        {
            known.push_back(t.GetName());
        }
    }
    return xformat("'%s' is no %s that ns-3 can make; expected one of %s",
                   value,
                   base,
                   Join(known).c_str());
}

} // namespace

char*
ns3_attribute_mistake(const char* name, const char* value, bool* in_value)
{
    *in_value = false;
    const std::string whole = name;
    const auto colons = whole.rfind("::");
    const std::string owner = whole.substr(0, colons);
    const std::string attribute = whole.substr(colons + 2);
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(owner, &type))
    {
        return NoClass(owner);
    }
    for (std::size_t i = 0; i < type.GetAttributeN(); i++)
    {
        const TypeId::AttributeInformation info = type.GetAttribute(i);
        if (info.name == attribute)
        {
            *in_value = !Takes(whole, *info.checker, value);
            return *in_value ? BadValue(name, value, *info.checker) : nullptr;
        }
    }
    return NoAttribute(type, attribute);
}

char*
ns3_global_mistake(const char* name, const char* value, bool* in_value)
{
    *in_value = false;
    for (auto i = GlobalValue::Begin(); i != GlobalValue::End(); ++i)
    {
        if ((*i)->GetName() != name)
        {
            continue;
        }
        char* wrong = BadType(name, value);
        *in_value = wrong || !Takes(name, *(*i)->GetChecker(), value);
        return wrong ? wrong : *in_value ? BadValue(name, value, *(*i)->GetChecker()) : nullptr;
    }
    return NoGlobal(name);
}
